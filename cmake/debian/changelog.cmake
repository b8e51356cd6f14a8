# cmake -DPACKAGE=... -DVERSION=... -DDATE=YYYY-MM-DD -DOUTPUT=FILE -P changelog.cmake: a changelog in Debian's form whose entry
# points to the release notes.
string(REPLACE "-" ";" parts ${DATE})
list(GET parts 0 year)
list(GET parts 1 month)
list(GET parts 2 day)
string(REGEX REPLACE "^0" "" month_number ${month})
set(months none Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec)
list(GET months ${month_number} month_name)

# Zeller's congruence; 0 is Saturday.
set(m ${month_number})
set(y ${year})
string(REGEX REPLACE "^0" "" d ${day})
if(m LESS 3)
    math(EXPR m "${m} + 12")
    math(EXPR y "${y} - 1")
endif()
math(EXPR weekday "(${d} + (13 * (${m} + 1)) / 5 + ${y} % 100 + (${y} % 100) / 4 + ${y} / 100 / 4 + 5 * (${y} / 100)) % 7")
set(days Sat Sun Mon Tue Wed Thu Fri)
list(GET days ${weekday} day_name)

file(WRITE ${OUTPUT} "heapwright (${VERSION}-1) unstable; urgency=medium

  * Release ${VERSION}; what changed stands in the release notes
    (/usr/share/doc/${PACKAGE}/changelog.gz).

 -- heapwright developers <heapwright@heapwright.invalid>  ${day_name}, ${day} ${month_name} ${year} 00:00:00 +0000
")
