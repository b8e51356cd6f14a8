# heapwright_shader(TARGET FILE NAME [DEFINES...]): compiles a GLSL shader to SPIR-V words, the array NAME of
# <heapwright_generated/shaders/NAME.hpp>.
find_program(HEAPWRIGHT_GLSLANG glslangValidator REQUIRED)
function(heapwright_shader target file name)
    set(folder ${PROJECT_BINARY_DIR}/generated/heapwright_generated/shaders)
    file(MAKE_DIRECTORY ${folder})
    list(TRANSFORM ARGN PREPEND -D OUTPUT_VARIABLE defines)
    add_custom_command(
        OUTPUT ${folder}/${name}.hpp
        COMMAND ${HEAPWRIGHT_GLSLANG} -V --quiet --target-env vulkan1.1 ${defines} --vn ${name} -o ${folder}/${name}.hpp
            ${CMAKE_CURRENT_SOURCE_DIR}/${file}
        DEPENDS ${file}
        COMMENT "Compiling ${file} (${name})"
        VERBATIM)
    target_sources(${target} PRIVATE ${folder}/${name}.hpp)
endfunction()
