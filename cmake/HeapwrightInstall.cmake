# The installed libraries. Shared, where only the functions of one C header are visible: heapwright::policy
# (policy_loader.h) and heapwright::pool (pool.h), which links no Vulkan loader. Static, for C++: heapwright::heapwright,
# with what the headers of include/heapwright declare, the two C interfaces too. Each header there is public and is
# installed; no other is.
set(policy_modules core model contract suballoc device pool policy workload loader)
set(pool_modules ${policy_modules} probe vulkan)
set(libraries)

# Of a Windows program's libraries only the static one is made.
function(heapwright_shared_library name abi modules symbols)
    if(WIN32)
        return()
    endif()
    list(TRANSFORM modules REPLACE "(.+)" "$<TARGET_OBJECTS:hw_\\1>")
    set(library heapwright_${name})
    add_library(${library} SHARED ${modules})
    set_target_properties(${library} PROPERTIES
        EXPORT_NAME ${name} VERSION ${abi}.${PROJECT_VERSION_MINOR}.${PROJECT_VERSION_PATCH}
        SOVERSION ${abi} LINK_DEPENDS ${symbols})
    target_link_options(${library} PRIVATE -Wl,--version-script=${symbols} -Wl,-Bsymbolic-functions)
    target_link_libraries(${library} PRIVATE ${HEAPWRIGHT_FMT} Threads::Threads ${CMAKE_DL_LIBS})
    set(libraries ${libraries} ${library} PARENT_SCOPE)
endfunction()
# HEAPWRIGHT_LOADER_ABI of policy_loader.h and HEAPWRIGHT_POOL_ABI of pool.h.
heapwright_shared_library(policy 1 "${policy_modules}" ${PROJECT_SOURCE_DIR}/src/loader/exported_symbols.map)
heapwright_shared_library(pool 1 "${pool_modules}" ${PROJECT_SOURCE_DIR}/src/vulkan/exported_symbols.map)

list(TRANSFORM pool_modules REPLACE "(.+)" "$<TARGET_OBJECTS:hw_\\1>" OUTPUT_VARIABLE objects)
add_library(heapwright_library STATIC ${objects})
set_target_properties(heapwright_library PROPERTIES OUTPUT_NAME heapwright EXPORT_NAME heapwright)
target_link_libraries(heapwright_library
    PUBLIC tl::expected Threads::Threads ${CMAKE_DL_LIBS}
    PRIVATE ${HEAPWRIGHT_FMT})
# Programs outside may show why (model/claim_text.hpp).
target_compile_definitions(heapwright_library INTERFACE HEAPWRIGHT_SHOWS_WORDS)
list(APPEND libraries heapwright_library)
foreach(library IN LISTS libraries)
    target_include_directories(${library} INTERFACE
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()

include(CMakePackageConfigHelpers)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/heapwright-config.cmake.in
    ${PROJECT_BINARY_DIR}/heapwright-config.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/heapwright)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/heapwright-config-version.cmake
    COMPATIBILITY SameMinorVersion)

install(TARGETS ${libraries} EXPORT heapwright-targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT policy NAMELINK_COMPONENT dev)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
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
# Relative, so that an installation may be moved.
file(RELATIVE_PATH HEAPWRIGHT_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
foreach(package heapwright heapwright-policy heapwright-pool)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/${package}.pc.in ${PROJECT_BINARY_DIR}/${package}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
endforeach()
if(TARGET heapwright)
    install(TARGETS heapwright RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
endif()
