include(${CMAKE_CURRENT_LIST_DIR}/headers.cmake)
set(Vulkan_INCLUDE_DIR ${heapwright_header_folder})
set(Vulkan_INCLUDE_DIRS ${heapwright_header_folder})
heapwright_build_machine_target(Vulkan::Headers)
