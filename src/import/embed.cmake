# cmake -DLIST=devices.json -DREPORTS=A.json.gz;... -DTEMPLATE=embedded.cpp.in -DOUTPUT=embedded.cpp -P embed.cmake
# Writes the template with the list and the bytes of the reports in their places.
file(READ ${LIST} list)
set(entries "")
foreach(report IN LISTS REPORTS)
    get_filename_component(name ${report} NAME)
    string(REPLACE ".json.gz" "" name ${name})
    file(READ ${report} bytes HEX)
    string(LENGTH "${bytes}" digits)
    math(EXPR size "${digits} / 2")
    string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
    string(APPEND entries "    {\"${name}\", {\"${bytes}\", ${size}}},\n")
endforeach()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
