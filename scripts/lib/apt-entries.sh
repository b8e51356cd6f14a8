# Sourced by scripts that derive an apt source from the machine's own, so that mirror, keys and options are the
# machine's. Reads the folder in apt_directory and gives one_line and deb822, which print entries and change nothing.
shopt -s nullglob
list_files=("$apt_directory"/sources.list "$apt_directory"/sources.list.d/*.list)
[[ -e ${list_files[0]} ]] || unset 'list_files[0]'
sources_files=("$apt_directory"/sources.list.d/*.sources)

# one_line SUITE: the one-line entries of type deb that name the suite and are no cdrom.
one_line() {
    (( ${#list_files[@]} )) || return 0
    awk -v suite="$1" '
        /^[ \t]*deb[ \t]/ && !/cdrom:/ {
            line = $0
            sub(/#.*/, "", line)
            options = ""
            if (match(line, /\[[^]]*\]/)) {
                options = substr(line, RSTART, RLENGTH) " "
                line = substr(line, 1, RSTART - 1) substr(line, RSTART + RLENGTH)
            }
            count = split(line, word, /[ \t]+/)
            first = word[1] == "" ? 2 : 1
            if (word[first + 2] == suite || word[first + 2] == suite "/") {
                components = ""
                for (i = first + 3; i <= count; ++i) if (word[i] != "") components = components " " word[i]
                print "deb " options word[first + 1] " " suite components
            }
        }' "${list_files[@]}"
}

# deb822 SUITE NEW_SUITE: the enabled deb822 entries of type deb that name the suite, with NEW_SUITE as their suite.
deb822() {
    local file
    for file in "${sources_files[@]}"; do
        awk -v suite="$1" -v new_suite="$2" '
            function finish(    i, n, names, has_suite) {
                n = split(suites, names, /[ \t\n]+/)
                for (i = 1; i <= n; ++i) if (names[i] == suite) has_suite = 1
                if (has_suite && types ~ /(^|[ \t])deb([ \t]|$)/ && enabled != "no")
                    printf "Types: deb\nSuites: %s\n%s\n", new_suite, rest
                types = suites = rest = enabled = field = ""
            }
            /^[ \t\r]*$/ { finish(); next }
            /^#/ { next }
            {
                text = $0
                if (text !~ /^[ \t]/) {
                    field = tolower(text)
                    sub(/:.*/, "", field)
                    value = text
                    sub(/^[^:]*:[ \t]*/, "", value)
                } else value = text
                if (field == "types") types = types " " value
                else if (field == "suites") suites = suites " " value
                else if (field == "enabled") enabled = tolower(value)
                else rest = rest text "\n"
            }
            END { finish() }' "$file"
    done
}
