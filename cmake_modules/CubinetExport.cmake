# Archives in install(EXPORT): other projects find them as targets, and use them like their own.
include_guard(GLOBAL)

# Exports a stand-in for the archive, since an object library's own files can't be installed under their names. CMake
# both installs file sets and names them in the export file, wherever that file is.
#   export              the name for install(EXPORT)
#   header_destination  where the generated header goes
#   component           arguments for install(): COMPONENT and its value, or nothing
function(_cubinet_export_archive call archive export destination header_destination component)
  set(stand_in "cubinet_export_${archive}")
  if(TARGET "${stand_in}")
    _cubinet_fail("${call}" "'${archive}' is exported already. Leave out EXPORT in one of the calls")
  endif()
  get_property(name TARGET "${archive}" PROPERTY EXPORT_NAME)
  if(NOT name)
    set(name "${archive}")
  endif()
  add_library("${stand_in}" INTERFACE)
  set_target_properties("${stand_in}" PROPERTIES EXPORT_NAME "${name}" EXPORT_PROPERTIES CUBINET_MODULES)
  _cubinet_add_file_set(arguments "${stand_in}" cubinet_archive "${archive}" CUBINET_ARCHIVE_FILE "${destination}")
  set(install_arguments ${arguments} ${component})
  _cubinet_add_file_set(arguments "${stand_in}" cubinet_header "${archive}" CUBINET_HEADER_FILE "${header_destination}")
  if(arguments)
    list(APPEND install_arguments ${arguments} ${component})
  endif()
  install(TARGETS "${stand_in}" EXPORT "${export}" ${install_arguments})
endfunction()

# A set of the one file that a property of the archive names, if it does; sets `out_arguments` to those for install().
function(_cubinet_add_file_set out_arguments target set archive property destination)
  set(${out_arguments} "" PARENT_SCOPE)
  get_property(file TARGET "${archive}" PROPERTY ${property})
  if(file)
    cmake_path(GET file PARENT_PATH folder)
    target_sources("${target}" INTERFACE FILE_SET ${set} TYPE HEADERS BASE_DIRS "${folder}" FILES "${file}")
    set(${out_arguments} FILE_SET ${set} DESTINATION "${destination}" PARENT_SCOPE)
  endif()
endfunction()

# Runs when everything about the archive is known.
function(_cubinet_finish_export archive)
  if(TARGET "cubinet_export_${archive}")
    get_property(modules TARGET "${archive}" PROPERTY CUBINET_MODULES)
    set_target_properties("cubinet_export_${archive}" PROPERTIES CUBINET_MODULES "${modules}")
  endif()
endfunction()
