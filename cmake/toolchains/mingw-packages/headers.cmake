# The build machine's header-only libraries, each by a link of its own in one folder of the build: /usr/include itself
# would bring that machine's C library along. heapwright_build_machine_target(NAME) declares an imported target for it.
set(HEAPWRIGHT_BUILD_MACHINE_INCLUDE /usr/include CACHE PATH "Where the header-only libraries are")
set(heapwright_header_folder ${CMAKE_BINARY_DIR}/build-machine-headers)
file(MAKE_DIRECTORY ${heapwright_header_folder})
foreach(entry CLI directx dxguids fmt nlohmann tl toml++ vk_video volk.c volk.h vulkan xxh3.h xxhash.h)
    if(EXISTS ${HEAPWRIGHT_BUILD_MACHINE_INCLUDE}/${entry})
        file(CREATE_LINK ${HEAPWRIGHT_BUILD_MACHINE_INCLUDE}/${entry} ${heapwright_header_folder}/${entry} SYMBOLIC)
    else()
        message(WARNING "${HEAPWRIGHT_BUILD_MACHINE_INCLUDE}/${entry} is missing: see scripts/packages.txt")
    endif()
endforeach()

function(heapwright_build_machine_target name)
    if(NOT TARGET ${name})
        add_library(${name} INTERFACE IMPORTED)
        target_include_directories(${name} SYSTEM INTERFACE ${heapwright_header_folder})
    endif()
endfunction()
