# Sourced by the scripts beside this folder. Sets root (the repository's folder) and gives say, die and build_jobs.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
script_name=$(basename "$0")

say() { printf '%s: %s\n' "$script_name" "$*"; }

# die EXIT_CODE MESSAGE
die() {
    local code=$1
    shift
    printf '%s: %s\n' "$script_name" "$*" >&2
    exit "$code"
}

# usage: the comment at the head of the script, from its second line to the first line that is no comment.
usage() { awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; }

# One compiler process a core, and no more than one for each 1.5 GiB of free memory.
build_jobs() {
    local cores available_kib by_memory
    cores=$(nproc 2>/dev/null || echo 1)
    available_kib=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo 2>/dev/null || true)
    by_memory=$(( ${available_kib:-1572864} / 1572864 ))
    (( by_memory >= 1 )) || by_memory=1
    (( by_memory < cores )) && cores=$by_memory
    echo "$cores"
}

# configure_and_build PRESET CMAKE_ARGUMENTS... -- TARGETS...
configure_and_build() {
    local preset=$1 arguments=()
    shift
    while (( $# > 0 )) && [[ $1 != -- ]]; do
        arguments+=("$1")
        shift
    done
    [[ ${1:-} == -- ]] && shift
    say "configuring build/$preset"
    (cd "$root" && cmake --preset "$preset" "${arguments[@]}" >"$root/build/$preset-configure.log" 2>&1) || {
        cat "$root/build/$preset-configure.log" >&2
        die 1 "cmake could not configure build/$preset"
    }
    say "building build/$preset with $(build_jobs) jobs"
    cmake --build "$root/build/$preset" --parallel "$(build_jobs)" --target "$@"
}
