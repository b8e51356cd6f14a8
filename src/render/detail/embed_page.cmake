# cmake -DPAGE=page.html -DTEMPLATE=page.cpp.in -DOUTPUT=page.cpp -P embed_page.cmake
# Writes the template with the page in its place, as the text of a string literal.
file(READ ${PAGE} page)
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
