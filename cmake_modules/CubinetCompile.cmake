# The build edges: one compile for each source and virtual architecture, one pack for each archive.
include_guard(GLOBAL)

# Finds the `cubinet` command: $CUBINET_COMMAND if it is set, else the one of this package or build. When
# cross-compiling, that one runs only on the target, so this searches the PATH for one that runs on this machine.
function(_cubinet_find_command out_command call)
  if(NOT CUBINET_COMMAND AND TARGET Cubinet::command AND NOT CMAKE_CROSSCOMPILING)
    set(${out_command} Cubinet::command PARENT_SCOPE)
    return()
  endif()
  find_program(CUBINET_COMMAND cubinet NO_CMAKE_FIND_ROOT_PATH DOC "The cubinet command, for this machine")
  if(NOT CUBINET_COMMAND)
    _cubinet_fail("${call}" "the 'cubinet' command was not found. Set CUBINET_COMMAND to its path")
  endif()
  set(${out_command} "${CUBINET_COMMAND}" PARENT_SCOPE)
endfunction()

# Finds the toolkit for one call, the caller's `call`. If `root` is not empty, only that one counts. A given toolkit that
# does not exist is an error. If none was given and none is found, the command searches when it runs. What the environment
# led to is kept, since a later configuration may run in another shell.
macro(_cubinet_find_toolkit root)
  set(CMAKE_MODULE_PATH "${CMAKE_CURRENT_FUNCTION_LIST_DIR}")
  set(_cubinet_by_environment FALSE)
  if(NOT "${root}" STREQUAL "")
    get_filename_component(CUBINET_TOOLKIT "${root}" ABSOLUTE)
  elseif(NOT CUBINET_TOOLKIT AND NOT CUDAToolkit_ROOT AND NOT CUDAToolkit_LIBRARY_ROOT)
    set(_cubinet_by_environment TRUE)
    if(EXISTS "${_CUBINET_KEPT_TOOLKIT}")
      set(CUBINET_TOOLKIT "${_CUBINET_KEPT_TOOLKIT}")
    endif()
  endif()
  find_package(CubinetToolkit QUIET MODULE)
  if(_cubinet_by_environment AND CubinetToolkit_FOUND)
    set(_CUBINET_KEPT_TOOLKIT "${CubinetToolkit_ROOT}" CACHE INTERNAL "The toolkit of the first configuration")
  endif()
  if(NOT CubinetToolkit_FOUND)
    _cubinet_toolkit_given(_cubinet_given _cubinet_origin)
    if(NOT "${root}" STREQUAL "")
      set(_cubinet_origin "the argument TOOLKIT")
    endif()
    if(_cubinet_given)
      _cubinet_fail("${call}" "no CUDA toolkit in '${_cubinet_given}', which is from ${_cubinet_origin}. Correct it, or "
        "leave it out to use the one that is found")
    endif()
  endif()
  _cubinet_report_toolkit()
endmacro()

function(_cubinet_report_toolkit)
  get_property(reported GLOBAL PROPERTY _CUBINET_REPORTED_TOOLKITS)
  if(CubinetToolkit_FOUND AND NOT CubinetToolkit_ROOT IN_LIST reported)
    set_property(GLOBAL APPEND PROPERTY _CUBINET_REPORTED_TOOLKITS "${CubinetToolkit_ROOT}")
    message(STATUS "Cubinet: CUDA ${CubinetToolkit_VERSION} toolkit in ${CubinetToolkit_ROOT}")
    if(NOT CubinetToolkit_NVJITLINK)
      message(WARNING "The CUDA toolkit in '${CubinetToolkit_ROOT}' has no nvJitLink, so no machine code can be made with "
        "it. Install it: the Python package nvidia-nvjitlink, or libnvjitlink of NVIDIA's system packages")
    endif()
  endif()
endfunction()

# The folder for an archive's files in the build, one for each configuration if there are several.
function(_cubinet_output_directory out_directory)
  get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  set(directory "${CMAKE_CURRENT_BINARY_DIR}")
  if(multi_config)
    string(APPEND directory "/$<CONFIG>")
  endif()
  set(${out_directory} "${directory}" PARENT_SCOPE)
endfunction()

# Whether depfiles go to Ninja as they are. CMake before 4.4, asked to rewrite them (policy CMP0116), loses the escapes
# of `$` and `#` in paths.
macro(_cubinet_depfiles_are_plain out_plain)
  set(${out_plain} FALSE)
  if(CMAKE_VERSION VERSION_LESS 4.4 AND CMAKE_GENERATOR MATCHES "Ninja")
    set(${out_plain} TRUE)
  endif()
endmacro()

# Before add_custom_command() with the depfile of an edge that makes `object`: sets `rule_target`, its target, and
# `working_directory`, which relative paths in it start from.
macro(_cubinet_start_depfile object)
  set(rule_target "${object}")
  set(working_directory "${CMAKE_CURRENT_BINARY_DIR}") # what CMake takes a depfile's relative paths for
  _cubinet_depfiles_are_plain(plain)
  if(plain)
    set(CMAKE_WARN_DEPRECATED FALSE) # some versions warn of every OLD
    cmake_policy(SET CMP0116 OLD)
    _cubinet_ninja_path(rule_target "${object}")
    set(working_directory "${CMAKE_BINARY_DIR}") # what Ninja does
  endif()
endmacro()

# Spells a path as plain depfiles and their rules do: as Ninja does, relative to the top of the build tree.
function(_cubinet_ninja_path out_path path)
  cmake_path(IS_PREFIX CMAKE_BINARY_DIR "${path}" inside)
  if(inside)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY "${CMAKE_BINARY_DIR}")
    string(PREPEND path "${CMAKE_NINJA_OUTPUT_PATH_PREFIX}")
  endif()
  set(${out_path} "${path}" PARENT_SCOPE)
endfunction()

# Arguments that depend on the generator. Ninja checks whether an output is unchanged (its `restat`) and then skips what
# depends on it; Make would run the edge in every build.
function(_cubinet_write_arguments out_arguments)
  if(CMAKE_GENERATOR MATCHES "Ninja")
    set(${out_arguments} --write-if-different PARENT_SCOPE)
  else()
    set(${out_arguments} "" PARENT_SCOPE)
  endif()
endfunction()

# A file that changes when the arguments do. Ninja compares command lines itself; without this file, Make would ignore a
# changed option.
function(_cubinet_arguments_file out_file path arguments)
  set(${out_file} "" PARENT_SCOPE)
  if(NOT CMAKE_GENERATOR MATCHES "Ninja")
    list(JOIN arguments "\n" text)
    file(GENERATE OUTPUT "${path}" CONTENT "${text}\n")
    set(${out_file} "${path}" PARENT_SCOPE)
  endif()
endfunction()

# Under Make, CMake before 4.0 adds the dependencies of each run of a custom command to those of the runs before, so a
# deleted header would start the command in every build. If this file is missing, CMake reads all depfiles again.
function(_cubinet_forget_dependencies out_command archive)
  set(${out_command} "" PARENT_SCOPE)
  if(CMAKE_GENERATOR MATCHES "Makefiles" AND CMAKE_VERSION VERSION_LESS 4.0)
    set(file "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${archive}.dir/compiler_depend.internal")
    set(${out_command} COMMAND "${CMAKE_COMMAND}" -E rm -f "${file}" PARENT_SCOPE)
  endif()
endfunction()

# The dialect: the target's CUDA_STANDARD, or the oldest with the features that the target and its libraries ask for.
# NVRTC's default has those of 17; if that is enough, the result is `default`. Features of the host's compiler count as far as
# NVRTC takes a dialect.
function(_cubinet_standard out_standard archive default)
  set(features "$<TARGET_PROPERTY:${archive},COMPILE_FEATURES>")
  set(standard "${default}")
  foreach(pair IN ITEMS "20 cxx_std_20" "20 cxx_std_23" "20 cxx_std_26" "20 cuda_std_20" "23 cuda_std_23")
    separate_arguments(pair)
    list(GET pair 0 number)
    list(GET pair 1 feature)
    set(standard "$<IF:$<IN_LIST:${feature},${features}>,${number},${standard}>")
  endforeach()
  set(property "$<TARGET_PROPERTY:${archive},CUDA_STANDARD>")
  set(${out_standard} "$<IF:$<BOOL:${property}>,${property},${standard}>" PARENT_SCOPE)
endfunction()

# The requirements that target_include_directories() and its sisters gave to the archive and to the libraries that it
# links.
function(_cubinet_target_arguments out_arguments archive)
  _cubinet_standard(standard "${archive}" "")
  set(arguments "$<$<BOOL:${standard}>:-std=c++${standard}>")
  set(folders "$<REMOVE_DUPLICATES:$<TARGET_PROPERTY:${archive},INCLUDE_DIRECTORIES>>")
  set(system_folders "$<REMOVE_DUPLICATES:$<TARGET_PROPERTY:${archive},SYSTEM_INCLUDE_DIRECTORIES>>")
  set(definitions "$<REMOVE_DUPLICATES:$<GENEX_EVAL:$<TARGET_PROPERTY:${archive},_CUBINET_DEFINITIONS>>>")
  _cubinet_prepend_option(folders -I)
  _cubinet_prepend_option(system_folders -isystem=)
  _cubinet_prepend_option(definitions -D)
  list(APPEND arguments "${folders}" "${system_folders}" "${definitions}"
    "$<TARGET_PROPERTY:${archive},COMPILE_OPTIONS>")
  set(${out_arguments} "${arguments}" PARENT_SCOPE)
endfunction()

# Adds the edge that compiles `source` for one group of architectures, and sets `out_object` to its output.
#   command    the cubinet command, a target or a path
#   names      options that name the module's kernels and variables
#   arguments  its other options: definitions, headers to include first, toolkit
#   headers    those headers; they are precompiled unless the variable CUBINET_PRECOMPILE_HEADERS says OFF
#   job_pool   Ninja's pool for the edge, or empty
function(_cubinet_add_compile out_object archive module source group command names arguments headers job_pool)
  string(REGEX MATCH "^[^:]+" virtual "${group}")
  string(REGEX REPLACE "^[^:]+:" "" codes "${group}")
  _cubinet_output_directory(directory)
  _cubinet_file_name(file_name "${module}")
  set(object "${directory}/CMakeFiles/${archive}.dir/${file_name}.${virtual}.cubinet")
  _cubinet_start_depfile("${object}")
  _cubinet_write_arguments(write_arguments)
  _cubinet_target_arguments(target_arguments "${archive}")
  set(pch_files "")
  if(headers AND (NOT DEFINED CUBINET_PRECOMPILE_HEADERS OR CUBINET_PRECOMPILE_HEADERS))
    set(is_fragment FALSE)
    if("--fragment" IN_LIST names)
      set(is_fragment TRUE)
    endif()
    _cubinet_passes(passes "${codes}" ${is_fragment})
    _cubinet_add_pch(pch_files "${archive}" "${virtual}" "${passes}" "${command}" "${arguments}" "${job_pool}")
  endif()
  set(arguments "${names};${arguments}")
  foreach(file IN LISTS pch_files)
    list(APPEND arguments --pch "${file}")
  endforeach()
  list(APPEND arguments --gencode "arch=${virtual},code=[${codes}]" "${target_arguments}")
  _cubinet_arguments_file(arguments_file "${object}.args" "${arguments}")
  _cubinet_controls_files(controls "${arguments}")
  _cubinet_forget_dependencies(forget_dependencies "${archive}")
  _cubinet_code_words(code_words "${group}")
  set(pool_arguments "")
  if(NOT job_pool STREQUAL "")
    set(pool_arguments JOB_POOL "${job_pool}")
  endif()
  add_custom_command(
    OUTPUT "${object}"
    COMMAND "${command}" compile "${source}" -o "${object}" --module "${module}" "${arguments}"
      -MD -MF "${object}.d" -MT "${rule_target}" ${write_arguments}
    ${forget_dependencies}
    DEPENDS "${source}" "${command}" ${arguments_file} ${pch_files} ${controls}
    DEPFILE "${rule_target}.d"
    WORKING_DIRECTORY "${working_directory}"
    COMMENT "Compiling ${archive}: ${module} for ${code_words}"
    ${pool_arguments}
    VERBATIM COMMAND_EXPAND_LISTS)
  set(${out_object} "${object}" PARENT_SCOPE)
endfunction()

# The files of compiler controls that a compile or a link reads. The edges that make them run first.
function(_cubinet_controls_files out_files options)
  set(option "^(-Xptxas=)?--apply-controls=")
  list(FILTER options INCLUDE REGEX "${option}")
  list(TRANSFORM options REPLACE "${option}" "")
  set(${out_files} "${options}" PARENT_SCOPE)
endfunction()

# The codes of a group of architectures, for messages: "sm_80, sm_86, compute_80".
function(_cubinet_code_words out_words group)
  string(REGEX REPLACE "^[^:]+:" "" codes "${group}")
  string(REPLACE "," ", " words "${codes}")
  set(${out_words} "${words}" PARENT_SCOPE)
endfunction()

# Adds the edge that fails if a kernel of `object`, which is for one group of architectures, has less occupancy than
# `least`, launched as the archive's LAUNCHES say, and sets `out_stamp` to its output.
function(_cubinet_add_occupancy_check out_stamp archive module group object command least)
  set(stamp "${object}.occupancy")
  _cubinet_code_words(code_words "${group}")
  get_property(launches TARGET "${archive}" PROPERTY CUBINET_LAUNCHES)
  list(TRANSFORM launches PREPEND "--launch=" OUTPUT_VARIABLE launch_arguments)
  _cubinet_arguments_file(arguments_file "${stamp}.args" "${least};${launch_arguments}")
  add_custom_command(
    OUTPUT "${stamp}"
    COMMAND "${command}" occupancy "${object}" --at-least "${least}" ${launch_arguments}
    COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
    DEPENDS "${object}" "${command}" ${arguments_file} ${launches}
    COMMENT "Checking ${archive}: occupancy of ${module} for ${code_words}"
    VERBATIM)
  set(${out_stamp} "${stamp}" PARENT_SCOPE)
endfunction()

# A file name for any module name.
function(_cubinet_file_name out_name module)
  set(name "${module}")
  if(NOT name MATCHES "^[A-Za-z0-9_+-][A-Za-z0-9_.+-]*$")
    string(SHA256 hash "${module}")
    string(SUBSTRING "${hash}" 0 12 hash)
    string(REGEX REPLACE "[^A-Za-z0-9_+-]+" "_" name "${module}")
    string(APPEND name "-${hash}")
  endif()
  set(${out_name} "${name}" PARENT_SCOPE)
endfunction()

# Refuses at configure time what `cubinet pack --compress` would refuse after every compile.
function(_cubinet_check_compression call how)
  if(NOT how MATCHES "^(none|fast|zstd|zstd:([1-9]|1[0-9]))?$")
    _cubinet_fail("${call}" "COMPRESS is '${how}'. Give none, fast, zstd, or zstd:1 to zstd:19")
  endif()
endfunction()

# Adds the edge that packs the modules of `archive`, including those that are added later, and writes its header.
# `inputs`: files that the arguments name
function(_cubinet_add_pack archive command arguments inputs)
  get_property(file TARGET "${archive}" PROPERTY CUBINET_ARCHIVE_FILE)
  set(objects "$<GENEX_EVAL:$<TARGET_PROPERTY:${archive},CUBINET_OBJECTS>>")
  set(checks "$<GENEX_EVAL:$<TARGET_PROPERTY:${archive},CUBINET_CHECKS>>")
  _cubinet_output_directory(directory)
  set(response_file "${directory}/CMakeFiles/${archive}.dir/objects.rsp") # they may exceed a command line
  file(GENERATE OUTPUT "${response_file}" CONTENT "\"$<JOIN:${objects},\"\n\">\"\n")
  _cubinet_write_arguments(write_arguments)
  _cubinet_header_command(header_command "${archive}" "${command}")
  _cubinet_arguments_file(arguments_file "${directory}/CMakeFiles/${archive}.dir/pack.args"
    "${arguments};${header_command}")
  add_custom_command(
    OUTPUT "${file}"
    COMMAND "${command}" pack "@${response_file}" -o "${file}" ${arguments} ${write_arguments}
    ${header_command}
    DEPENDS "${objects}" "${checks}" "${response_file}" "${command}" ${arguments_file} ${inputs}
    COMMENT "Packing ${archive}"
    VERBATIM)
endfunction()

# The command that writes an archive's header, with the keywords before and after it in add_custom_command(); or
# nothing.
function(_cubinet_header_command out_command archive command)
  set(${out_command} "" PARENT_SCOPE)
  get_property(file TARGET "${archive}" PROPERTY CUBINET_ARCHIVE_FILE)
  get_property(header TARGET "${archive}" PROPERTY CUBINET_HEADER_FILE)
  get_property(cxx TARGET "${archive}" PROPERTY CUBINET_CXX_HEADER)
  set(options "")
  if(cxx)
    set(options --c++)
  endif()
  if(header)
    set(${out_command}
      COMMAND "${command}" header "${file}" -o "${header}" ${options}
      BYPRODUCTS "${header}" PARENT_SCOPE)
  endif()
endfunction()
