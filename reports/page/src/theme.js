// Light and dark: the style sheet owns the colours, charts read them from it.

const root = document.documentElement;

export function colours() {
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
const listeners = [];
export const onThemeChange = (listener) => listeners.push(listener);
const announce = () => listeners.forEach((listener) => listener());

export const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches);

export function setTheme(name) {
    root.dataset.theme = name;
    announce();
}

prefersDark.addEventListener("change", () => { if (!root.dataset.theme) announce(); });

// Paper is white, whatever the screen was.
let beforePrint;
addEventListener("beforeprint", () => {
    beforePrint = root.dataset.theme;
    setTheme("light");
});
addEventListener("afterprint", () => {
    if (beforePrint) setTheme(beforePrint);
    else {
        delete root.dataset.theme;
        announce();
    }
});
