#!/usr/bin/env bash
# usage: check_layers_can_fail.sh REPOSITORY
# Plants one violation at a time in a small tree and in a copy of src, and expects scripts/check-layers to name it.
set -euo pipefail
repository=${1:?repository}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
checks=0

# expect NAME EXIT_CODE TEXT FOLDER
expect() {
    local output code=0
    (( ++checks ))
    output=$("$repository/scripts/check-layers" "$4" 2>&1) || code=$?
    if [[ $code != "$2" || $output != *"$3"* ]]; then
        printf 'FAILED %s: exit code %s (expected %s), output:\n%s\n(expected in it: %s)\n' "$1" "$code" "$2" "$output" "$3"
        failures=$(( failures + 1 ))
    fi
}

# tree NAME: a new tree in which every rule is kept, in $folder.
tree() {
    folder=$work/$1
    mkdir -p "$folder"/{core,policy,runtime,vulkan,model/detail,cli}
    printf '#pragma once\n#include <cstdint>\n' >"$folder/core/size.hpp"
    printf '#include "heapwright/core/size.hpp"\n#include <fmt/format.h>\n' >"$folder/core/size.cpp"
    printf '#pragma once\n#include "heapwright/core/size.hpp"\n' >"$folder/policy/rule.hpp"
    printf '#include "heapwright/policy/rule.hpp"\n#include "heapwright/model/detail/x_json.hpp"\n' >"$folder/policy/rule.cpp"
    printf '#pragma once\n#include <nlohmann/json.hpp>\n' >"$folder/model/detail/x_json.hpp"
    printf '#pragma once\n#include <vulkan/vulkan_core.h>\n#include "heapwright/core/size.hpp"\n' >"$folder/vulkan/api.hpp"
    printf '#pragma once\n#include "heapwright/core/size.hpp"\n' >"$folder/vulkan/backend.hpp"
    printf '#pragma once\n#include "heapwright/vulkan/backend.hpp"\n#include <CLI/CLI.hpp>\n' >"$folder/cli/commands.hpp"
    printf '// #include <vulkan/vulkan.h>\n' >"$folder/runtime/pool.cpp"
}

tree good
expect 'a tree without violation' 0 'keep to their layers' "$folder"

for header in '<vulkan/vulkan.h>' '<volk.h>' '<directx/d3d12.h>' '<d3d12.h>' '<dxgi1_6.h>' '"volk.h"'; do
    tree "direct-${header//[^a-z0-9]/_}"
    printf '  #  include %s\n' "$header" >>"$folder/runtime/pool.cpp"
    expect "a pure folder includes $header" 1 'runtime/pool.cpp: reaches graphics API header' "$folder"
done

tree transitive
printf '#include "heapwright/vulkan/api.hpp"\n' >>"$folder/core/size.hpp"
expect 'a pure folder reaches Vulkan by two headers' 1 \
    'policy/rule.cpp: reaches graphics API header <vulkan/vulkan_core.h> (by policy/rule.cpp -> policy/rule.hpp -> core/size.hpp -> vulkan/api.hpp)' "$folder"
expect 'a pure folder includes a backend' 1 'core/size.hpp: reaches backend header vulkan/api.hpp' "$folder"

tree backend
printf '#include "heapwright/vulkan/backend.hpp"\n' >>"$folder/policy/rule.cpp"
expect 'a pure folder includes an API-free header of a backend' 1 \
    'policy/rule.cpp: reaches backend header vulkan/backend.hpp' "$folder"

tree user
printf '#include "heapwright/vulkan/api.hpp"\n' >>"$folder/cli/commands.hpp"
expect 'a user of backends reaches an API' 1 'cli/commands.hpp: reaches graphics API header' "$folder"

tree relative
printf '#include "../vulkan/api.hpp"\n' >>"$folder/policy/rule.cpp"
expect 'a relative include' 1 'policy/rule.cpp: reaches backend header vulkan/api.hpp' "$folder"

for header in nlohmann/json_fwd.hpp CLI/CLI.hpp fmt/core.h; do
    tree "library-${header//\//_}"
    printf '#include <%s>\n' "$header" >>"$folder/core/size.hpp"
    expect "a public header includes $header" 1 "core/size.hpp: reaches non-public library header <$header>" "$folder"
    expect "a public header reaches $header" 1 "policy/rule.hpp: reaches non-public library header <$header>" "$folder"
done

tree detail
printf '#include "heapwright/model/detail/x_json.hpp"\n' >>"$folder/policy/rule.hpp"
expect 'a public header reaches JSON by an internal one' 1 'policy/rule.hpp: reaches non-public library header' "$folder"

tree missing
printf '#include "heapwright/core/none.hpp"\n' >>"$folder/policy/rule.hpp"
expect 'a header that is not there' 1 'policy/rule.hpp: reaches missing header core/none.hpp' "$folder"

mkdir "$work/empty"
expect 'nothing to check' 2 'no source file' "$work/empty"

cp -r "$repository/src" "$work/src"
printf '#include <volk.h>\n' >>"$work/src/core/error.hpp"
expect 'the real tree with a violation' 1 'core/error.hpp: reaches graphics API header <volk.h>' "$work/src"

printf '%d checks, %d failed\n' "$checks" "$failures"
(( failures == 0 ))
