include(${CMAKE_CURRENT_LIST_DIR}/headers.cmake)
heapwright_build_machine_target(fmt::fmt-header-only)
set_property(TARGET fmt::fmt-header-only PROPERTY INTERFACE_COMPILE_DEFINITIONS FMT_HEADER_ONLY=1)
