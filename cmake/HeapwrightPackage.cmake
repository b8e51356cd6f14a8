# The manual page, the shell completions and the Debian packages. All that is said of commands and options is written by
# the program itself, from its own option tree.
set(HEAPWRIGHT_RELEASE_DATE "2026-11-21" CACHE STRING "The date of the manual page and of the Debian changelog")
if(NOT WIN32)
    find_program(GZIP_PROGRAM gzip REQUIRED)
endif()

# A program for another system cannot be run here, and one with sanitizers need not be.
if(TARGET heapwright AND NOT CMAKE_CROSSCOMPILING AND NOT WIN32)
    set(shell_files ${PROJECT_BINARY_DIR}/shell)
    file(MAKE_DIRECTORY ${shell_files})
    set(made)
    foreach(file IN ITEMS man:heapwright.1 bash:heapwright.bash zsh:_heapwright fish:heapwright.fish)
        string(REPLACE ":" ";" parts ${file})
        list(GET parts 0 what)
        list(GET parts 1 name)
        add_custom_command(OUTPUT ${shell_files}/${name}
            COMMAND heapwright generate ${what} --date ${HEAPWRIGHT_RELEASE_DATE} -o ${shell_files}/${name}
            DEPENDS heapwright VERBATIM)
        list(APPEND made ${shell_files}/${name})
    endforeach()
    add_custom_command(OUTPUT ${shell_files}/heapwright.1.gz
        COMMAND ${GZIP_PROGRAM} -9 -n -k -f ${shell_files}/heapwright.1 DEPENDS ${shell_files}/heapwright.1 VERBATIM)
    add_custom_target(heapwright_shell_files ALL DEPENDS ${made} ${shell_files}/heapwright.1.gz)
    install(FILES ${shell_files}/heapwright.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
    install(FILES ${shell_files}/heapwright.bash RENAME heapwright
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
    install(FILES ${shell_files}/_heapwright DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions
        COMPONENT program)
    install(FILES ${shell_files}/heapwright.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
        COMPONENT program)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/policies/ DESTINATION ${CMAKE_INSTALL_DATADIR}/heapwright/policies
    COMPONENT program FILES_MATCHING PATTERN "*.json" PATTERN "schema" EXCLUDE PATTERN "presets" EXCLUDE)
if(WIN32)
    return()
endif()

# ---- Debian packages: cpack -G DEB, in a release build ---------------------------------------------------------------
# heapwright: the program, what its shells and man need, the policies. libheapwright-policy1: the shared libraries of
# the loader and of the pool. libheapwright-dev: headers, static libraries, CMake package.
set(debian ${PROJECT_BINARY_DIR}/debian)
file(MAKE_DIRECTORY ${debian})
set(changelogs)
foreach(package IN ITEMS program:heapwright policy:libheapwright-policy${HEAPWRIGHT_LOADER_ABI} dev:libheapwright-dev)
    string(REPLACE ":" ";" parts ${package})
    list(GET parts 0 component)
    list(GET parts 1 name)
    string(TOUPPER ${component} upper)
    set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
    # Compressed without a name or a time. The native changelog points to the release notes.
    set(changelog ${debian}/${name}.changelog)
    add_custom_command(OUTPUT ${changelog}.Debian.gz
        COMMAND ${CMAKE_COMMAND} -DPACKAGE=${name} -DVERSION=${PROJECT_VERSION} -DDATE=${HEAPWRIGHT_RELEASE_DATE}
            -DOUTPUT=${changelog}.Debian -P ${PROJECT_SOURCE_DIR}/cmake/debian/changelog.cmake
        COMMAND ${GZIP_PROGRAM} -9 -n -f ${changelog}.Debian
        DEPENDS ${PROJECT_SOURCE_DIR}/cmake/debian/changelog.cmake VERBATIM)
    list(APPEND changelogs ${changelog}.Debian.gz)
    install(FILES ${changelog}.Debian.gz RENAME changelog.Debian.gz
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component})
    install(FILES ${debian}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component})
    install(FILES ${PROJECT_SOURCE_DIR}/cmake/debian/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name}
        COMPONENT ${component})
endforeach()
add_custom_command(OUTPUT ${debian}/changelog.gz
    COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${debian}/changelog
    COMMAND ${GZIP_PROGRAM} -9 -n -f ${debian}/changelog
    DEPENDS ${PROJECT_SOURCE_DIR}/CHANGELOG.md VERBATIM)
add_custom_target(heapwright_changelogs ALL DEPENDS ${changelogs} ${debian}/changelog.gz)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME heapwright)
set(CPACK_PACKAGE_VENDOR heapwright)
set(CPACK_PACKAGE_CONTACT "heapwright developers <heapwright@heapwright.invalid>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program policy dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_POLICY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_POLICY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
# The Vulkan loader is opened at run time, so that the program can say what is missing.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "libvulkan1, mesa-vulkan-drivers | vulkan-icd")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${CPACK_DEBIAN_POLICY_PACKAGE_NAME} (= ${PROJECT_VERSION}-1), libexpected-dev, libfmt-dev")
# What a program that links the library depends on, and the trigger that makes the library known.
file(WRITE ${debian}/shlibs
    "libheapwright_policy ${HEAPWRIGHT_LOADER_ABI} ${CPACK_DEBIAN_POLICY_PACKAGE_NAME} (>= ${PROJECT_VERSION})\n"
    "libheapwright_pool ${HEAPWRIGHT_POOL_ABI} ${CPACK_DEBIAN_POLICY_PACKAGE_NAME} (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_POLICY_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/triggers ${debian}/shlibs)
# Each description begins with its synopsis, so there is none for all.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(about "heapwright asks a GPU's driver for its memory heaps, memory types and
limits and for the size and alignment of every kind of image and buffer,
measures what memory costs, computes an allocation policy from that (chunk
sizes, buckets, thresholds, upload ring, descriptor heaps), and proves it on
the same device.")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "GPU capability probe and allocation-policy advisor\n${about}")
set(CPACK_COMPONENT_POLICY_DESCRIPTION "GPU allocation policies at run time\n${about}
.
This package holds the libraries with which a program picks the policy for the
device that it runs on, and allocates by it.")
set(CPACK_COMPONENT_DEV_DESCRIPTION "GPU allocation policies, development files\n${about}
.
This package holds the headers, the static libraries and the CMake package.")
include(CPack)
