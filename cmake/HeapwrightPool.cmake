# The pool on a program's own Vulkan device as libraries of its own, behind one C header: heapwright::pool (shared, where
# only the C functions are visible) and heapwright::pool_static. Neither links a Vulkan loader: the program gives its
# function pointers. Installed with the other libraries.
set(pool_objects)
foreach(module core model contract suballoc device background pool policy workload loader sweep vulkan adopt)
    list(APPEND pool_objects $<TARGET_OBJECTS:hw_${module}>)
endforeach()
set(HEAPWRIGHT_POOL_ABI 1)  # HEAPWRIGHT_POOL_ABI of pool.h

add_library(heapwright_pool_static STATIC ${pool_objects})
set_target_properties(heapwright_pool_static PROPERTIES OUTPUT_NAME heapwright_pool EXPORT_NAME pool_static)
set(pool_libraries heapwright_pool_static)
# Of a Windows program's libraries only the static one is made.
if(NOT WIN32)
    set(pool_map ${PROJECT_SOURCE_DIR}/src/adopt/exported_symbols.map)
    add_library(heapwright_pool SHARED ${pool_objects})
    set_target_properties(heapwright_pool PROPERTIES
        EXPORT_NAME pool VERSION ${HEAPWRIGHT_POOL_ABI}.${PROJECT_VERSION_MINOR}.${PROJECT_VERSION_PATCH}
        SOVERSION ${HEAPWRIGHT_POOL_ABI} LINK_DEPENDS ${pool_map})
    target_link_options(heapwright_pool PRIVATE -Wl,--version-script=${pool_map} -Wl,-Bsymbolic-functions)
    list(APPEND pool_libraries heapwright_pool)
endif()
foreach(library IN LISTS pool_libraries)
    target_include_directories(${library} INTERFACE
        $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/pool_include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${library} PRIVATE ${HEAPWRIGHT_FMT} Threads::Threads ${CMAKE_DL_LIBS})
endforeach()
add_library(heapwright::pool_static ALIAS heapwright_pool_static)
if(TARGET heapwright_pool)
    add_library(heapwright::pool ALIAS heapwright_pool)
endif()

install(TARGETS ${pool_libraries} EXPORT heapwright-targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT policy NAMELINK_COMPONENT dev)
install(FILES ${PROJECT_SOURCE_DIR}/src/adopt/pool.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heapwright COMPONENT dev)
