# The kernels of each instruction set: a file of two lines for each family (kernels/family_*.inl) and set (kernels/sets/*.h). They are made in the
# build tree.
#   pliant_kernel_stubs(OUT FOLDER [SET...])              writes FOLDER/kernels/SET/FAMILY.c and lists them in OUT; all sets if none is named
#   cmake -D FOLDER=DIR [-D SETS="SET..."] -P stubs.cmake   writes them without a project
set(PLIANT_KERNELS ${CMAKE_CURRENT_LIST_DIR})

function(pliant_kernel_stubs out folder)
  set(sets ${ARGN})
  set(watch CONFIGURE_DEPENDS)
  if(CMAKE_SCRIPT_MODE_FILE)
    set(watch)
  endif()
  if(NOT sets)
    file(GLOB sets RELATIVE ${PLIANT_KERNELS}/sets ${watch} ${PLIANT_KERNELS}/sets/*.h)
    list(TRANSFORM sets REPLACE "[.]h$" "")
  endif()
  file(GLOB families RELATIVE ${PLIANT_KERNELS} ${watch} ${PLIANT_KERNELS}/family_*.inl)
  list(TRANSFORM families REPLACE "^family_(.*)[.]inl$" "\\1")
  set(stubs)
  foreach(set ${sets})
    foreach(family ${families})
      set(stub ${folder}/kernels/${set}/${family}.c)
      file(CONFIGURE OUTPUT ${stub} CONTENT "#include \"kernels/sets/${set}.h\"\n\n#include \"kernels/family_${family}.inl\"\n" @ONLY)
      list(APPEND stubs ${stub})
    endforeach()
  endforeach()
  set(${out} ${stubs} PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  separate_arguments(SETS)
  pliant_kernel_stubs(made ${FOLDER} ${SETS})
endif()
