# Language, warnings, sanitizers, ccache and the third-party packages.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

option(HEAPWRIGHT_WERROR "Treat warnings in our own code as errors" ON)
option(HEAPWRIGHT_PORTABLE "Link all but libc statically, so that the program runs on other distributions" OFF)
option(HEAPWRIGHT_BENCHMARKS "Build the benchmarks (needs Google Benchmark)" ON)
option(HEAPWRIGHT_BATCHES "Compile several sources of a module at once: less work, coarser steps" ON)
set(HEAPWRIGHT_BATCH_SIZE 16 CACHE STRING "Sources compiled at once where HEAPWRIGHT_BATCHES is on")
set(HEAPWRIGHT_SANITIZE "" CACHE STRING "Sanitizers for all code, e.g. address,undefined")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # What one checkout compiled serves every other one: paths below the tree's top count as relative, and the folder
    # that the compiler runs in does not count.
    set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE_PROGRAM})
    set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    # __FILE__ is a path in the tree, the same in every checkout: the compiler cache serves them all.
    add_compile_options(-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
endif()

find_package(Threads REQUIRED)
find_package(tl-expected REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Vulkan REQUIRED)
find_path(HEAPWRIGHT_VOLK_INCLUDE volk.h REQUIRED)
find_path(HEAPWRIGHT_XXHASH_INCLUDE xxhash.h REQUIRED)

set(HEAPWRIGHT_FMT fmt::fmt)
if(HEAPWRIGHT_PORTABLE)
    set(HEAPWRIGHT_FMT fmt::fmt-header-only)
    add_link_options(-static-libstdc++ -static-libgcc)
endif()

if(WIN32)
    # Windows 10; min() and max() stay functions.
    add_compile_definitions(_WIN32_WINNT=0x0A00 WINVER=0x0A00 NOMINMAX)
    # The JSON tables make more sections than an object file of the old form holds.
    add_compile_options(-Wa,-mbig-obj)
endif()

if(HEAPWRIGHT_SANITIZE)
    add_compile_options(-fsanitize=${HEAPWRIGHT_SANITIZE} -fno-omit-frame-pointer -g)
    add_link_options(-fsanitize=${HEAPWRIGHT_SANITIZE})
    if(HEAPWRIGHT_SANITIZE MATCHES "undefined")
        add_compile_options(-fno-sanitize-recover=undefined)
    endif()
endif()

add_library(heapwright_warnings INTERFACE)
target_compile_options(heapwright_warnings INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
    -Wno-missing-field-initializers
    $<$<BOOL:${HEAPWRIGHT_WERROR}>:-Werror>)
if(HEAPWRIGHT_SANITIZE)
    # GCC 12 sees uninitialized strings in what the sanitizers make of a std::variant.
    target_compile_options(heapwright_warnings INTERFACE -Wno-maybe-uninitialized)
endif()

# Public headers, "heapwright/core/result.hpp", stand in include and are installed; all others, "policy/demand.hpp", in src.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/generated/heapwright_generated)
configure_file(${PROJECT_SOURCE_DIR}/src/core/version.hpp.in
    ${PROJECT_BINARY_DIR}/generated/heapwright_generated/version.hpp @ONLY)
add_library(heapwright_headers INTERFACE)
target_include_directories(heapwright_headers INTERFACE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/generated)
target_link_libraries(heapwright_headers INTERFACE tl::expected Threads::Threads)
