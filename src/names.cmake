# Writes a header that gives every internal name of the library a prefix: tree_create becomes pl_inside_tree_create. The compiler
# reads it before each file of the library (and of the tests, which reach inside), so that a static library cannot clash with names
# of the program it is linked into. Names come from the declarations in the headers: each begins a line; tests/install.sh finds what
# is missed.
#   cmake -D FOLDER=src -D OUT=names.h -P names.cmake
file(GLOB_RECURSE headers ${FOLDER}/*.h)
set(names)
foreach(header ${headers})
  file(STRINGS ${header} functions REGEX "^[a-z][a-z0-9_ ]* [*]*[a-z][a-z0-9_]*[(]")
  file(STRINGS ${header} variables REGEX "^extern [^(]*;")
  foreach(line IN LISTS functions variables)
    string(REGEX REPLACE "( LEFT_OUT)?[[(;].*" "" line "${line}") # up to the name
    string(REGEX MATCH "[a-z0-9_]+$" name "${line}")
    if(NOT line MATCHES "^(static|typedef) " AND NOT name MATCHES "^pl_")
      list(APPEND names ${name})
    endif()
  endforeach()
endforeach()
list(REMOVE_DUPLICATES names)
list(SORT names)
set(text "/* Made by src/names.cmake. */\n")
foreach(name ${names})
  string(APPEND text "#define ${name} pl_inside_${name}\n")
endforeach()
file(CONFIGURE OUTPUT ${OUT} CONTENT "${text}" @ONLY) # leaves a header that says the same as it is
