# PRECOMPILE_HEADERS: headers that every source of a module includes first. Separate edges precompile them.
include_guard(GLOBAL)

# The headers of a module as -include takes them, its own or else its archive's: as in target_precompile_headers(), a
# name without brackets or quotes is a path, if such a file exists.
function(_cubinet_module_headers out_headers archive headers)
  if(NOT headers)
    get_property(headers TARGET "${archive}" PROPERTY CUBINET_PRECOMPILE_HEADERS)
  endif()
  set(names "")
  foreach(header IN LISTS headers)
    if(header MATCHES "^(<.+>|\".+\")$")
      string(REGEX REPLACE "^.(.+).$" "\\1" name "${header}")
      list(APPEND names "${name}")
      continue()
    endif()
    cmake_path(ABSOLUTE_PATH header BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE OUTPUT_VARIABLE path)
    get_source_file_property(generated "${path}" GENERATED)
    if(EXISTS "${path}" OR generated)
      set(header "${path}")
    endif()
    list(APPEND names "${header}")
  endforeach()
  if(CMAKE_DISABLE_PRECOMPILE_HEADERS)
    set(names "")
  endif()
  set(${out_headers} "${names}" PARENT_SCOPE)
endfunction()

# The passes of NVRTC that a compile of one group of architectures makes, each of which needs headers precompiled for
# it: their names, by which _cubinet_pass_arguments() knows them.
function(_cubinet_passes out_passes codes is_fragment)
  if(codes MATCHES "sm_|compute_")
    set(passes ptx)
  elseif(is_fragment)
    set(passes lto relocatable) # what a fragment defines is read from relocatable PTX
  else()
    set(passes lto)
  endif()
  set(${out_passes} ${passes} PARENT_SCOPE)
endfunction()

function(_cubinet_pass_arguments out_arguments virtual pass)
  set(code "${virtual}")
  if(pass STREQUAL "lto")
    string(REPLACE "compute_" "lto_" code "${virtual}")
  endif()
  set(arguments --gencode "arch=${virtual},code=${code}")
  if(pass STREQUAL "relocatable")
    list(APPEND arguments -rdc=true)
  endif()
  set(${out_arguments} ${arguments} PARENT_SCOPE)
endfunction()

# Adds the edges that precompile headers for one virtual architecture, if other modules of the archive that are compiled
# the same way have not, and sets `out_files` to their outputs.
#   arguments  of the module's compiles, the headers among them, without those that name kernels
function(_cubinet_add_pch out_files archive virtual passes command arguments job_pool)
  list(FILTER arguments EXCLUDE REGEX "^--threads=") # modules that differ in that share the headers
  string(SHA256 hash "${arguments}")
  string(SUBSTRING "${hash}" 0 12 hash)
  _cubinet_output_directory(directory)
  set(files "")
  foreach(pass IN LISTS passes)
    set(name "pch.${virtual}.${pass}.${hash}")
    set(file "${directory}/CMakeFiles/${archive}.dir/${name}")
    list(APPEND files "${file}")
    get_property(names TARGET "${archive}" PROPERTY CUBINET_PCH_NAMES)
    if(NOT name IN_LIST names)
      set_property(TARGET "${archive}" APPEND PROPERTY CUBINET_PCH_NAMES "${name}")
      _cubinet_pass_arguments(pass_arguments "${virtual}" "${pass}")
      _cubinet_add_pch_edge("${archive}" "${file}" "${command}" "${pass_arguments};${arguments}" "${job_pool}"
        "${virtual}")
    endif()
  endforeach()
  set(${out_files} "${files}" PARENT_SCOPE)
endfunction()

function(_cubinet_add_pch_edge archive file command arguments job_pool virtual)
  _cubinet_start_depfile("${file}") # with the compiles' working directory
  _cubinet_target_arguments(target_arguments "${archive}")
  list(APPEND arguments "${target_arguments}")
  _cubinet_arguments_file(arguments_file "${file}.args" "${arguments}")
  _cubinet_forget_dependencies(forget_dependencies "${archive}")
  set(pool_arguments "")
  if(NOT job_pool STREQUAL "")
    set(pool_arguments JOB_POOL "${job_pool}")
  endif()
  add_custom_command(
    OUTPUT "${file}" "${file}.data"
    COMMAND "${command}" pch -o "${file}" "${arguments}" -MD -MF "${file}.d" -MT "${rule_target}"
    ${forget_dependencies}
    DEPENDS "${command}" ${arguments_file}
    DEPFILE "${rule_target}.d"
    WORKING_DIRECTORY "${working_directory}"
    COMMENT "Precompiling headers of ${archive} for ${virtual}"
    ${pool_arguments}
    VERBATIM COMMAND_EXPAND_LISTS)
endfunction()

# Removes headers that earlier configurations precompiled for the archive, and this one does not: they are large.
function(_cubinet_remove_old_pchs archive)
  get_property(names TARGET "${archive}" PROPERTY CUBINET_PCH_NAMES)
  get_property(directory TARGET "${archive}" PROPERTY BINARY_DIR)
  foreach(configuration IN ITEMS "." LISTS CMAKE_CONFIGURATION_TYPES)
    file(GLOB files "${directory}/${configuration}/CMakeFiles/${archive}.dir/pch.compute_*")
    foreach(file IN LISTS files)
      cmake_path(GET file FILENAME file_name)
      string(REGEX MATCH "^pch\\.[^.]*\\.[^.]*\\.[0-9a-f]*" name "${file_name}")
      if(NOT name IN_LIST names AND NOT file_name MATCHES "\\.cubinet")
        file(REMOVE "${file}")
      endif()
    endforeach()
  endforeach()
endfunction()
