# Compiles a target's sources in batches: most of a source's time goes into the headers that all of them include. So
# names of an unnamed namespace are unique in their folder, or stand in a named one.
function(heapwright_batches target)
    set_target_properties(${target} PROPERTIES
        UNITY_BUILD ${HEAPWRIGHT_BATCHES} UNITY_BUILD_BATCH_SIZE ${HEAPWRIGHT_BATCH_SIZE})
endfunction()

# Code that runs once a command: compiled quickly rather than to run fast. The largest unit takes GCC 12 23 s with -Og, 38 s
# with -O1.
function(heapwright_cold target)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>)
endfunction()

# Records which modules a folder of src declares. The build folder's modules.txt lists them, a line for each module,
# "NAME FOLDER [DEPENDENCY...]", for scripts/check-layers --graph.
function(heapwright_record_module name dependencies)
    get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
    string(JOIN " " line ${name} ${folder} ${dependencies})
    set_property(GLOBAL APPEND_STRING PROPERTY HEAPWRIGHT_MODULE_GRAPH "${line}\n")
endfunction()
function(heapwright_write_module_graph)
    get_property(graph GLOBAL PROPERTY HEAPWRIGHT_MODULE_GRAPH)
    file(WRITE ${PROJECT_BINARY_DIR}/modules.txt "${graph}")
endfunction()

# heapwright_module(NAME [COLD] SOURCES ... [DEPENDS other modules...] [LINK libraries...])
# One static library per folder of src (hw_NAME) so that a test links only what it tests; the installed library
# collects the objects of all of them.
function(heapwright_module name)
    cmake_parse_arguments(ARG "COLD" "" "SOURCES;DEPENDS;LINK" ${ARGN})
    add_library(hw_${name} STATIC ${ARG_SOURCES})
    target_link_libraries(hw_${name} PUBLIC heapwright_headers PRIVATE heapwright_warnings ${HEAPWRIGHT_FMT} ${ARG_LINK})
    foreach(dependency IN LISTS ARG_DEPENDS)
        target_link_libraries(hw_${name} PUBLIC hw_${dependency})
    endforeach()
    heapwright_batches(hw_${name})
    if(ARG_COLD)
        heapwright_cold(hw_${name})
    endif()
    heapwright_record_module(${name} "${ARG_DEPENDS}")
    set_property(GLOBAL APPEND PROPERTY HEAPWRIGHT_MODULES hw_${name})
endfunction()

# heapwright_program(NAME SOURCES ... [DEPENDS modules...] [OPTIONAL modules...] [LINK libraries...]): a program in the
# build folder's root. An optional module is one that this build may lack.
function(heapwright_program name)
    cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;OPTIONAL;LINK" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    target_link_libraries(${name} PRIVATE heapwright_warnings ${HEAPWRIGHT_FMT} ${ARG_LINK})
    foreach(dependency IN LISTS ARG_DEPENDS)
        target_link_libraries(${name} PRIVATE hw_${dependency})
    endforeach()
    foreach(dependency IN LISTS ARG_OPTIONAL)
        target_link_libraries(${name} PRIVATE $<TARGET_NAME_IF_EXISTS:hw_${dependency}>)
    endforeach()
    heapwright_batches(${name})
    heapwright_cold(${name})
    heapwright_record_module(${name} "${ARG_DEPENDS};${ARG_OPTIONAL}")
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endfunction()

# heapwright_test(NAME SOURCES ... LINK ... [LABELS ...] [PROPERTIES ...]): a Catch2 program that CTest runs whole. Beside
# what it prints it writes Testing/catch2/NAME.xml, where scripts/test sees which cases were skipped.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/Testing/catch2)
function(heapwright_test name)
    cmake_parse_arguments(ARG "" "" "SOURCES;LINK;LABELS;PROPERTIES" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    target_link_libraries(${name} PRIVATE ${ARG_LINK} test_paths heapwright_warnings Catch2::Catch2WithMain ${HEAPWRIGHT_FMT})
    heapwright_cold(${name})
    heapwright_batches(${name})
    add_test(NAME ${name} COMMAND ${name} --colour-mode none
        --reporter console --reporter junit::out=${PROJECT_BINARY_DIR}/Testing/catch2/${name}.xml)
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 4 LABELS "${ARG_LABELS}" ${ARG_PROPERTIES})
endfunction()
