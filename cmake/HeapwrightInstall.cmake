# The installed library (heapwright::heapwright) holds the objects of every module; its headers lie under
# include/heapwright.
get_property(modules GLOBAL PROPERTY HEAPWRIGHT_MODULES)
get_property(module_libraries GLOBAL PROPERTY HEAPWRIGHT_MODULE_LIBRARIES)
list(REMOVE_DUPLICATES module_libraries)
set(objects)
foreach(module IN LISTS modules)
    # The known devices are the program's: half a megabyte, and zlib.
    if(NOT module MATCHES "^hw_(cli|known)$")
        list(APPEND objects $<TARGET_OBJECTS:${module}>)
    endif()
endforeach()

add_library(heapwright_library STATIC ${objects})
set_target_properties(heapwright_library PROPERTIES OUTPUT_NAME heapwright EXPORT_NAME heapwright)
target_include_directories(heapwright_library INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(heapwright_library
    PUBLIC tl::expected Threads::Threads ${CMAKE_DL_LIBS}
    PRIVATE ${HEAPWRIGHT_FMT})
add_library(heapwright::heapwright ALIAS heapwright_library)

include(CMakePackageConfigHelpers)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/heapwright-config.cmake.in
    ${PROJECT_BINARY_DIR}/heapwright-config.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/heapwright)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/heapwright-config-version.cmake
    COMPATIBILITY SameMinorVersion)

include(HeapwrightLoader)
include(HeapwrightPool)
install(TARGETS heapwright_library EXPORT heapwright-targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
if(TARGET heapwright_fault_driver)
    install(TARGETS heapwright_fault_driver LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/heapwright COMPONENT program)
    install(FILES ${PROJECT_SOURCE_DIR}/src/fault_driver/heapwright_fault_driver.json
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/heapwright COMPONENT program)
    install(TARGETS heapwright_fault_runtime
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/heapwright/d3d12 COMPONENT program)
endif()
install(EXPORT heapwright-targets NAMESPACE heapwright:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/heapwright
    COMPONENT dev)
install(FILES ${PROJECT_BINARY_DIR}/heapwright-config.cmake ${PROJECT_BINARY_DIR}/heapwright-config-version.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/heapwright COMPONENT dev)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heapwright COMPONENT dev
    FILES_MATCHING PATTERN "*.hpp" PATTERN "*.inc" PATTERN "cli" EXCLUDE PATTERN "known" EXCLUDE PATTERN "loader" EXCLUDE
    PATTERN "fault_driver" EXCLUDE)
install(FILES ${PROJECT_BINARY_DIR}/generated/heapwright_generated/volk.hpp
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heapwright_generated COMPONENT dev)
# Relative, so that an installation may be moved.
file(RELATIVE_PATH HEAPWRIGHT_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
foreach(package heapwright heapwright-policy heapwright-pool)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/${package}.pc.in ${PROJECT_BINARY_DIR}/${package}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
endforeach()
if(TARGET heapwright)
    install(TARGETS heapwright RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
endif()
