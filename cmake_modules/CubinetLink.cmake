# Modules of several sources: each is compiled to LTO-IR, and one edge for each virtual architecture links them.
include_guard(GLOBAL)

# Fails for arguments that make sense only for one source, or only for several.
function(_cubinet_check_linked call sources groups link_options)
  list(LENGTH sources count)
  if(count EQUAL 1 AND link_options)
    _cubinet_fail("${call}" "LINK_OPTIONS for one source. Only several SOURCES are linked; leave the keyword out")
  elseif(count GREATER 1 AND groups MATCHES "lto_")
    _cubinet_fail("${call}" "LTO-IR of ${count} SOURCES. They are linked to machine code and PTX, since LTO-IR of several "
      "sources can't be made one image: add a fragment for each with cubinet_add_fragment()")
  elseif(count GREATER 1 AND groups MATCHES "optix_")
    _cubinet_fail("${call}" "OptiX-IR of ${count} SOURCES. They are linked to machine code and PTX, and nothing links "
      "OptiX-IR before optixModuleCreate() takes it: add a module of each source")
  endif()
endfunction()

# Adds the edges of a module with several sources for one group of architectures, and sets `out_object` to the output of
# the link. Every source is asked for every name; the link fails if none has one.
#   names           options of the module's kernels and globals
#   arguments       of compiles: definitions, options, toolkit
#   compile_options  the module's own among them, for the link, which picks what LTO-IR leaves to it
#   link_arguments  of the link
#   headers         that are precompiled
function(_cubinet_add_linked out_object archive module sources group command names arguments compile_options
    link_arguments headers job_pool)
  string(REGEX MATCH "^compute_([0-9]+[af]?)" virtual "${group}")
  set(piece_group "${virtual}:lto_${CMAKE_MATCH_1}")
  set(pieces "")
  foreach(source IN LISTS sources)
    _cubinet_source_name(source_name "${source}")
    _cubinet_add_compile(piece "${archive}" "${module}/${source_name}" "${source}" "${piece_group}" "${command}"
      "--fragment;--optional-names;${names}" "${arguments}" "${headers}" "${job_pool}")
    list(APPEND pieces "${piece}")
  endforeach()
  list(TRANSFORM names REPLACE "^--(kernel|global)$" "--require")
  _cubinet_add_link(object "${archive}" "${module}" "${pieces}" "${group}" "${command}" "${names};${link_arguments}"
    "${compile_options}" "${job_pool}")
  set(${out_object} "${object}" PARENT_SCOPE)
endfunction()

# The name of a source in messages, as the project spells it.
function(_cubinet_source_name out_name source)
  foreach(directory IN ITEMS "${CMAKE_CURRENT_BINARY_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
    cmake_path(IS_PREFIX directory "${source}" inside)
    if(inside)
      cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${directory}")
      break()
    endif()
  endforeach()
  set(${out_name} "${source}" PARENT_SCOPE)
endfunction()

# Adds the edge that links archives with one piece each for one group of architectures. `compile_options` are those of the
# pieces' compiles, beside the archive's.
function(_cubinet_add_link out_object archive module pieces group command arguments compile_options job_pool)
  string(REGEX MATCH "^[^:]+" virtual "${group}")
  string(REGEX REPLACE "^[^:]+:" "" codes "${group}")
  _cubinet_output_directory(directory)
  _cubinet_file_name(file_name "${module}")
  set(object "${directory}/CMakeFiles/${archive}.dir/${file_name}.${virtual}.cubinet")
  string(REPLACE "," ";" words "${codes}")
  list(TRANSFORM words REPLACE "^sm_(.*)$" "\\1-real")
  list(TRANSFORM words REPLACE "^compute_(.*)$" "\\1-virtual")
  list(JOIN words "," words)
  _cubinet_start_depfile("${object}")
  _cubinet_write_arguments(write_arguments)
  list(APPEND arguments --arch "${words}")
  list(APPEND compile_options "$<TARGET_PROPERTY:${archive},COMPILE_OPTIONS>")
  _cubinet_arguments_file(arguments_file "${object}.args" "${arguments};${compile_options}")
  _cubinet_code_words(code_words "${group}")
  _cubinet_controls_files(controls "${arguments};${compile_options}")
  _cubinet_forget_dependencies(forget_dependencies "${archive}")
  set(pool_arguments "")
  if(NOT job_pool STREQUAL "")
    set(pool_arguments JOB_POOL "${job_pool}")
  endif()
  add_custom_command(
    OUTPUT "${object}"
    COMMAND "${command}" link ${pieces} -o "${object}" --module "${module}" "${arguments}"
      -MD -MF "${object}.d" -MT "${rule_target}" ${write_arguments} --compile-options "${compile_options}"
    ${forget_dependencies}
    DEPENDS ${pieces} ${controls} "${command}" ${arguments_file}
    DEPFILE "${rule_target}.d"
    WORKING_DIRECTORY "${working_directory}"
    COMMENT "Linking ${archive}: ${module} for ${code_words}"
    ${pool_arguments}
    VERBATIM COMMAND_EXPAND_LISTS)
  set(${out_object} "${object}" PARENT_SCOPE)
endfunction()

# The options of a module's link: its parts, the link options, its limits and its toolkit.
function(_cubinet_link_arguments out_arguments parts link_options limits)
  list(FILTER limits EXCLUDE REGEX "^--threads=") # a link has one
  set(arguments "")
  if(NOT parts STREQUAL "")
    list(APPEND arguments --parts "${parts}")
  endif()
  list(APPEND arguments "${link_options}" "${limits}")
  if(CubinetToolkit_FOUND)
    list(APPEND arguments --toolkit "${CubinetToolkit_ROOT}")
  endif()
  set(${out_arguments} "${arguments}" PARENT_SCOPE)
endfunction()
