# The policy loader as libraries of its own, behind one C header: heapwright::policy (shared, where only the C functions
# are visible) and heapwright::policy_static. Installed with the other libraries.
set(policy_objects)
foreach(module core model contract suballoc device background pool policy workload loader)
    list(APPEND policy_objects $<TARGET_OBJECTS:hw_${module}>)
endforeach()
set(HEAPWRIGHT_LOADER_ABI 1)  # HEAPWRIGHT_LOADER_ABI of policy_loader.h

add_library(heapwright_policy_static STATIC ${policy_objects})
set_target_properties(heapwright_policy_static PROPERTIES OUTPUT_NAME heapwright_policy EXPORT_NAME policy_static)
set(policy_libraries heapwright_policy_static)
# Of a Windows program's libraries only the static one is made.
if(NOT WIN32)
    add_library(heapwright_policy SHARED ${policy_objects})
    set_target_properties(heapwright_policy PROPERTIES
        EXPORT_NAME policy VERSION ${HEAPWRIGHT_LOADER_ABI}.${PROJECT_VERSION_MINOR}.${PROJECT_VERSION_PATCH}
        SOVERSION ${HEAPWRIGHT_LOADER_ABI} LINK_DEPENDS ${PROJECT_SOURCE_DIR}/src/loader/exported_symbols.map)
    target_link_options(heapwright_policy PRIVATE
        -Wl,--version-script=${PROJECT_SOURCE_DIR}/src/loader/exported_symbols.map -Wl,-Bsymbolic-functions)
    list(APPEND policy_libraries heapwright_policy)
endif()
foreach(library IN LISTS policy_libraries)
    target_include_directories(${library} INTERFACE
        $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/loader_include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${library} PRIVATE ${HEAPWRIGHT_FMT} Threads::Threads)
endforeach()
add_library(heapwright::policy_static ALIAS heapwright_policy_static)
if(TARGET heapwright_policy)
    add_library(heapwright::policy ALIAS heapwright_policy)
endif()

install(TARGETS ${policy_libraries} EXPORT heapwright-targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT policy NAMELINK_COMPONENT dev)
install(FILES ${PROJECT_SOURCE_DIR}/src/loader/policy_loader.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heapwright COMPONENT dev)
