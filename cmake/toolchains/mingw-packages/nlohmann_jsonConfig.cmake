include(${CMAKE_CURRENT_LIST_DIR}/headers.cmake)
heapwright_build_machine_target(nlohmann_json::nlohmann_json)
