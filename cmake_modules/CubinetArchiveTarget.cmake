# Targets that stand for archives: those of this project, which cubinet_add_archive() makes, and those of other
# packages, which cubinet_install(… EXPORT) has put into them.
#
# Both have the properties CUBINET_ARCHIVE_FILE and CUBINET_HEADER_FILE (empty without a header).
include_guard(GLOBAL)

# The target that a name, which may be an alias, stands for.
function(_cubinet_resolve_archive out_archive call name)
  if(NOT TARGET "${name}")
    _cubinet_fail("${call}" "there is no target '${name}'. Make it with cubinet_add_archive(${name})")
  endif()
  get_property(aliased TARGET "${name}" PROPERTY ALIASED_TARGET)
  if(NOT "${aliased}" STREQUAL "")
    set(name "${aliased}")
  endif()
  _cubinet_read_exported("${name}")
  get_property(file TARGET "${name}" PROPERTY CUBINET_ARCHIVE_FILE)
  if(NOT file)
    _cubinet_fail("${call}" "'${name}' is a target, but not an archive. Make archives with cubinet_add_archive()")
  endif()
  set(${out_archive} "${name}" PARENT_SCOPE)
endfunction()

# An export file can name installed files only as file sets, the one kind that CMake itself knows.
function(_cubinet_read_exported target)
  get_property(is_imported TARGET "${target}" PROPERTY IMPORTED)
  if(is_imported)
    foreach(kind IN ITEMS archive header)
      get_property(files TARGET "${target}" PROPERTY HEADER_SET_cubinet_${kind})
      _cubinet_one_file(files)
      string(TOUPPER "${kind}" kind)
      set_property(TARGET "${target}" PROPERTY CUBINET_${kind}_FILE "${files}")
    endforeach()
  endif()
endfunction()

# Makes one path of a list that has one for each configuration, "$<$<CONFIG:Debug>:path>": they are the same in an
# installed package.
function(_cubinet_one_file files_variable)
  set(files "${${files_variable}}")
  list(TRANSFORM files REPLACE "^\\$<\\$<CONFIG:[^>]*>:(.*)>$" "\\1" OUTPUT_VARIABLE paths)
  list(REMOVE_DUPLICATES paths)
  list(LENGTH paths count)
  if(count GREATER 1)
    set(paths "$<JOIN:${files},>") # all but one of them are empty
  endif()
  set(${files_variable} "${paths}" PARENT_SCOPE)
endfunction()

function(_cubinet_check_not_imported call archive fix)
  get_property(is_imported TARGET "${archive}" PROPERTY IMPORTED)
  if(is_imported)
    _cubinet_fail("${call}" "'${archive}' is an archive of another package. ${fix}")
  endif()
endfunction()

# The archive's name in C: its name without a namespace.
function(_cubinet_c_name out_name archive)
  string(REGEX REPLACE "^.*::" "" name "${archive}")
  string(MAKE_C_IDENTIFIER "${name}" name)
  set(${out_name} "${name}" PARENT_SCOPE)
endfunction()
