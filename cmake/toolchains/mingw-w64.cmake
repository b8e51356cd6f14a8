# Cross-compiles heapwright.exe for Windows x86_64 with Debian's mingw-w64 (g++-mingw-w64-x86-64-posix: the variant
# with C++11 threads). Needs no Windows libraries beyond mingw's own: the third-party packages are header-only here and
# come from the build machine through cmake/toolchains/mingw-packages.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)

set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)

set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# libstdc++, libgcc and winpthread go into the program, so that it is one file.
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)

set(CMAKE_FIND_PACKAGE_PREFER_CONFIG ON)
foreach(package CLI11 Vulkan fmt nlohmann_json tl-expected)
    set(${package}_DIR ${CMAKE_CURRENT_LIST_DIR}/mingw-packages)
endforeach()
set(HEAPWRIGHT_VOLK_INCLUDE ${CMAKE_BINARY_DIR}/build-machine-headers)
set(HEAPWRIGHT_XXHASH_INCLUDE ${CMAKE_BINARY_DIR}/build-machine-headers)
set(HEAPWRIGHT_DIRECTX_INCLUDE ${CMAKE_BINARY_DIR}/build-machine-headers)
set(HEAPWRIGHT_TOMLPLUSPLUS_INCLUDE ${CMAKE_BINARY_DIR}/build-machine-headers)
