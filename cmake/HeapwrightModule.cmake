# Compiles a target's sources in batches: most of a source's time goes into the headers that all of them include. So
# names of an unnamed namespace are unique in their folder, or stand in a named one.
function(heapwright_batches target)
    set_target_properties(${target} PROPERTIES
        UNITY_BUILD ${HEAPWRIGHT_BATCHES} UNITY_BUILD_BATCH_SIZE ${HEAPWRIGHT_BATCH_SIZE})
endfunction()

# heapwright_module(NAME SOURCES ... [DEPENDS other modules...] [LINK libraries...])
# One static library per folder of src (hw_NAME) so that a test links only what it tests; the installed library
# collects the objects of all of them.
function(heapwright_module name)
    cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LINK" ${ARGN})
    add_library(hw_${name} STATIC ${ARG_SOURCES})
    target_link_libraries(hw_${name} PUBLIC heapwright_headers PRIVATE heapwright_warnings ${HEAPWRIGHT_FMT} ${ARG_LINK})
    foreach(dependency IN LISTS ARG_DEPENDS)
        target_link_libraries(hw_${name} PUBLIC hw_${dependency})
    endforeach()
    heapwright_batches(hw_${name})
    set_property(GLOBAL APPEND PROPERTY HEAPWRIGHT_MODULES hw_${name})
    set_property(GLOBAL APPEND PROPERTY HEAPWRIGHT_MODULE_LIBRARIES ${ARG_LINK})
endfunction()

# heapwright_test(NAME SOURCES ... LINK ... [LABELS ...] [PROPERTIES ...]): a Catch2 program that CTest runs whole.
function(heapwright_test name)
    cmake_parse_arguments(ARG "" "" "SOURCES;LINK;LABELS;PROPERTIES" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    target_link_libraries(${name} PRIVATE ${ARG_LINK} heapwright_warnings Catch2::Catch2WithMain ${HEAPWRIGHT_FMT})
    target_compile_definitions(${name} PRIVATE
        HEAPWRIGHT_SOURCE_DIR="${PROJECT_SOURCE_DIR}" HEAPWRIGHT_BINARY_DIR="${PROJECT_BINARY_DIR}")
    add_test(NAME ${name} COMMAND ${name} --colour-mode none)
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 4 LABELS "${ARG_LABELS}" ${ARG_PROPERTIES})
endfunction()
