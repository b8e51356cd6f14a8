include(${CMAKE_CURRENT_LIST_DIR}/headers.cmake)
heapwright_build_machine_target(CLI11::CLI11)
