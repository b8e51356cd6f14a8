// Light and dark: the style sheet owns the colours, charts read them from it.

const root = document.documentElement;

// Read once for each theme: every reading would make the browser lay the page out anew.
const known = new Map();
export function colours() {
    const { theme } = root.dataset;
    if (!known.has(theme)) known.set(theme, readColours());
    return known.get(theme);
}

function readColours() {
    const style = getComputedStyle(root);
    const get = (name) => style.getPropertyValue(`--${name}`).trim();
    return {
        ink: get("ink"), soft: get("soft"), faint: get("faint"), line: get("line"), paper: get("paper"),
        accent: get("accent"), bad: get("bad"), good: get("good"), warn: get("warn"),
        slots: Array.from({ length: 8 }, (_, i) => get(`slot-${i}`)),
        ramp: Array.from({ length: 6 }, (_, i) => get(`ramp-${i}`)),
        font: getComputedStyle(document.body).fontFamily,
    };
}

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
let chosen = null;
const wanted = () => chosen ?? (prefersDark.matches ? "dark" : "light");

const listeners = [];
export const onThemeChange = (listener) => listeners.push(listener);

function apply(name) {
    root.dataset.theme = name;
    listeners.forEach((listener) => listener());
}

export const isDark = () => root.dataset.theme === "dark";

export function chooseTheme(name) {
    chosen = name;
    apply(name);
}

apply(wanted());
prefersDark.addEventListener("change", () => apply(wanted()));

// Paper is white, whatever the screen was.
addEventListener("beforeprint", () => apply("light"));
addEventListener("afterprint", () => apply(wanted()));
