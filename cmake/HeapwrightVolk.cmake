# <heapwright_generated/volk.hpp>: volk.h whose functions and function pointers have names of heapwright's own, so that a
# program may link heapwright beside libvulkan or beside its own volk, whose globals are called vkCreateInstance and so on.
file(STRINGS ${HEAPWRIGHT_VOLK_INCLUDE}/volk.h lines REGEX "^extern PFN_vk|^[A-Za-z0-9_]+ volk[A-Za-z]+\\(")
set(text "// Made by cmake/HeapwrightVolk.cmake from volk.h; do not edit.\n#pragma once\n\n")
foreach(line IN LISTS lines)
    string(REGEX REPLACE "^.*[ ](vk[A-Za-z0-9_]+|volk[A-Za-z]+)([;(].*)?$" "\\1" name "${line}")
    string(APPEND text "#define ${name} heapwright_${name}\n")
endforeach()
string(APPEND text "\n#include <volk.h>\n")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/heapwright_generated/volk.hpp CONTENT "${text}" @ONLY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${HEAPWRIGHT_VOLK_INCLUDE}/volk.h)
