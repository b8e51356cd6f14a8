#!/usr/bin/env bash
# usage: check_setup.sh REPOSITORY
# Derives the backports source from machines of every shape, and reads the table of packages as scripts/setup does.
set -euo pipefail
repository=${1:?repository}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
checks=0

# expect NAME EXIT_CODE EXPECTED_OUTPUT: runs backports-source on $apt, the folder that stands for /etc/apt.
expect() {
    local output code=0
    (( ++checks ))
    output=$("$repository/scripts/lib/backports-source" bookworm "$apt" 2>/dev/null) || code=$?
    if [[ $code != "$2" || $output != "$3" ]]; then
        printf 'FAILED %s: exit code %s (expected %s), output:\n%s\nexpected:\n%s\n' "$1" "$code" "$2" "$output" "$3"
        failures=$(( failures + 1 ))
    fi
}

machine() {
    apt=$work/$1
    mkdir -p "$apt/sources.list.d"
}

# Reserved names: no such host exists (RFC 2606).
mirror=http://mirror.example
other_mirror=http://old.example

machine deb822
cat >"$apt/sources.list.d/debian.sources" <<END
# a comment
Types: deb deb-src
URIs: $mirror/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 mQINBFk
 -----END PGP PUBLIC KEY BLOCK-----

Types: deb
URIs: $mirror/debian-security
Suites: bookworm-security
Components: main
END
expect 'deb822 with an inline key' 0 "sources
Types: deb
Suites: bookworm-backports
URIs: $mirror/debian
Components: main contrib
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 mQINBFk
 -----END PGP PUBLIC KEY BLOCK-----"

# What is derived is taken for a backports source by the next run.
"$repository/scripts/lib/backports-source" bookworm "$apt" | tail -n +2 >"$work/derived"
cp "$work/derived" "$apt/sources.list.d/heapwright-backports.sources"
expect 'deb822, second run' 0 present
sed 's/^Types/Enabled: no\n&/' "$work/derived" >"$apt/sources.list.d/heapwright-backports.sources"
expect 'deb822, backports disabled' 0 "sources"$'\n'"$(cat "$work/derived")"

machine one-line
cat >"$apt/sources.list" <<END
# deb $other_mirror/debian bookworm-backports main
deb cdrom:[Debian 12]/ bookworm main
deb-src $mirror/debian bookworm main
deb [arch=amd64 signed-by=/usr/share/keyrings/a.gpg]   $mirror/debian   bookworm main contrib # fast
deb $mirror/debian-security bookworm-security main
END
line="deb [arch=amd64 signed-by=/usr/share/keyrings/a.gpg] $mirror/debian bookworm-backports main contrib"
expect 'one line' 0 "list"$'\n'"$line"
echo "$line" >"$apt/sources.list.d/heapwright-backports.list"
expect 'one line, second run' 0 present

machine none
echo "deb $mirror/debian trixie main" >"$apt/sources.list"
expect 'another release' 1 ''
machine empty
expect 'no source at all' 1 ''

# Every row of the table has a group, a package, a version, a suite, a probe and a purpose.
checks=$(( checks + 1 ))
if ! awk '/^#/ || NF == 0 { next }
          $1 !~ /^(program|tests|tools|windows|matrix|package)$/ || $4 !~ /^(main|backports|any)$/ ||
          $5 !~ /^(cmd|header|lib|file):./ || NF < 6 || seen[$2]++ { print "bad row: " $0; bad = 1 }
          { ++rows }
          END { exit bad || rows == 0 }' "$repository/scripts/packages.txt"; then
    failures=$(( failures + 1 ))
fi

printf '%d checks, %d failed\n' "$checks" "$failures"
(( failures == 0 ))
