# cubinet_add_archive(): a target whose output is an archive of kernels. Reference: docs/guide/cmake.md.
include_guard(GLOBAL)

# The target is an object library that compiles nothing. Only this type takes PRIVATE, PUBLIC and INTERFACE in
# target_include_directories() and its sisters, links other libraries for their requirements, and makes no file of its
# own.
function(cubinet_add_archive name)
  set(call "cubinet_add_archive(${name})")
  _cubinet_parse_arguments("${call}" "DEFAULT_DEVICE;NO_HEADER;CXX_HEADER"
    "TARGET;MODULE;INSTANTIATE;VERSION;ABI;LICENSE;COMPRESS;TOOLKIT;JOB_POOL;JOB_MEMORY;OCCUPANCY_AT_LEAST;TIMEOUT;MEMORY_LIMIT;THREADS;CONTROLS;PARTS"
    "SOURCES;KERNELS;KERNELS_FOR;GLOBALS;ARCHITECTURES;GENCODE;COMPILE_DEFINITIONS;COMPILE_OPTIONS;PRECOMPILE_HEADERS;ARCHIVES;ALIASES;PROPERTIES;SIGN;LAUNCHES"
    ${ARGN})
  if(DEFINED arg_TARGET)
    _cubinet_start_of_target()
  endif()
  _cubinet_check_archive_arguments()
  _cubinet_size_job_pool()
  _cubinet_check_occupancy("${call}" "${arg_OCCUPANCY_AT_LEAST}")
  _cubinet_find_command(command "${call}")
  _cubinet_archive_language(language "${call}")

  set(launch_files "")
  foreach(launches IN LISTS arg_LAUNCHES)
    get_filename_component(launches "${launches}" ABSOLUTE)
    list(APPEND launch_files "${launches}")
  endforeach()
  _cubinet_output_directory(directory)
  set(file "${directory}/${name}.cubinet")
  _cubinet_declare_external_object("${name}.cubinet")
  add_library("${name}" OBJECT "${file}")
  set_target_properties("${name}" PROPERTIES
    LINKER_LANGUAGE ${language} # never used, but CMake wants to know
    CUBINET_ARCHIVE_FILE "${file}"
    CUBINET_ARCHITECTURES "${arg_ARCHITECTURES}"
    CUBINET_GENCODE "${arg_GENCODE}"
    CUBINET_JOB_POOL "${arg_JOB_POOL}"
    CUBINET_PRECOMPILE_HEADERS "${arg_PRECOMPILE_HEADERS}"
    CUBINET_OCCUPANCY_AT_LEAST "${arg_OCCUPANCY_AT_LEAST}"
    CUBINET_LAUNCHES "${launch_files}"
    CUBINET_CXX_HEADER "${arg_CXX_HEADER}")
  _cubinet_drop_host_options("${name}")
  if(NOT arg_NO_HEADER)
    _cubinet_set_header("${name}" "${directory}")
  endif()
  _cubinet_merge_archives("${call}" "${name}" "${arg_ARCHIVES}")
  _cubinet_check_compression("${call}" "${arg_COMPRESS}")
  _cubinet_check_properties("${call}" "${arg_PROPERTIES}")
  _cubinet_check_aliases("${call}" "${arg_ALIASES}")
  _cubinet_pack_arguments(pack_arguments keys)
  _cubinet_add_pack("${name}" "${command}" "${pack_arguments}" "${keys}")
  if(DEFINED arg_TARGET)
    _cubinet_link_requirements_of_target("${name}" "${arg_TARGET}")
  endif()
  if(DEFINED arg_TARGET AND NOT arg_MODULE)
    _cubinet_add_modules_of_target()
  elseif(DEFINED arg_TARGET)
    set(_cubinet_options "${arg_COMPILE_OPTIONS}")
    set(_cubinet_definitions "${arg_COMPILE_DEFINITIONS}")
    _cubinet_add_module_of_target()
  elseif(arg_MODULE)
    _cubinet_add_first_module()
  endif()
  cmake_language(EVAL CODE "
    cmake_language(DEFER CALL _cubinet_resolve_language_guards [[${name}]])
    cmake_language(DEFER DIRECTORY [[${CMAKE_SOURCE_DIR}]] CALL _cubinet_finish_archive [[${name}]])")
endfunction()

# Options of `cubinet pack` other than its inputs, and the files that they name: a change to one of these rebuilds the
# target.
function(_cubinet_pack_arguments out_arguments out_keys)
  set(arguments "")
  set(keys "")
  foreach(word "VERSION=--archive-version" "ABI=--abi" "LICENSE=--license" "COMPRESS=--compress")
    string(REGEX MATCH "^([A-Z]+)=(.*)$" _ "${word}")
    if(NOT "${arg_${CMAKE_MATCH_1}}" STREQUAL "")
      list(APPEND arguments "${CMAKE_MATCH_2}" "${arg_${CMAKE_MATCH_1}}")
    endif()
  endforeach()
  foreach(property IN LISTS arg_PROPERTIES)
    list(APPEND arguments --set "${property}")
  endforeach()
  foreach(alias IN LISTS arg_ALIASES)
    list(APPEND arguments --kernel "${alias}")
  endforeach()
  foreach(key IN LISTS arg_SIGN)
    get_filename_component(key "${key}" ABSOLUTE)
    list(APPEND arguments --sign "${key}")
    list(APPEND keys "${key}")
  endforeach()
  get_property(launch_files TARGET "${name}" PROPERTY CUBINET_LAUNCHES)
  foreach(launches IN LISTS launch_files)
    list(APPEND arguments --launch "${launches}")
    list(APPEND keys "${launches}")
  endforeach()
  set(${out_arguments} "${arguments}" PARENT_SCOPE)
  set(${out_keys} "${keys}" PARENT_SCOPE)
endfunction()

function(_cubinet_check_properties call properties)
  foreach(property IN LISTS properties)
    if(NOT property MATCHES "^[^=]+=")
      _cubinet_fail("${call}" "PROPERTIES: '${property}' is not a property. Write <key>=<value>")
    endif()
  endforeach()
endfunction()

function(_cubinet_check_aliases call aliases)
  foreach(alias IN LISTS aliases)
    if(NOT alias MATCHES "^[^=]+=.+")
      _cubinet_fail("${call}" "ALIASES: '${alias}' names no kernel. Write <name>=<lowered name>, which may have * and ? in it")
    endif()
  endforeach()
endfunction()

# Places the header that names the archive's kernels on the include path of targets that link the archive.
function(_cubinet_set_header archive directory)
  _cubinet_c_name(name "${archive}")
  set(header_directory "${directory}/CMakeFiles/${archive}.dir/header")
  set_target_properties("${archive}" PROPERTIES CUBINET_HEADER_FILE "${header_directory}/${name}.h")
  target_include_directories("${archive}" INTERFACE "$<BUILD_INTERFACE:${header_directory}>")
  set(configurations "${CMAKE_CONFIGURATION_TYPES}")
  if(NOT directory MATCHES "CONFIG>$")
    set(configurations "the only one")
  endif()
  foreach(configuration IN LISTS configurations) # where imported, a folder on the include path has to be there
    string(REPLACE "$<CONFIG>" "${configuration}" folder "${header_directory}")
    file(MAKE_DIRECTORY "${folder}")
  endforeach()
endfunction()

# Also packs the modules of other archives, which are targets or files, and folders of other systems. A change to any
# file in such a folder rebuilds the archive.
function(_cubinet_merge_archives call archive others)
  foreach(other IN LISTS others)
    if(other STREQUAL archive)
      _cubinet_fail("${call}" "the archive is among its own ARCHIVES. Leave it out")
    elseif(TARGET "${other}")
      _cubinet_resolve_archive(target "${call}" "${other}")
      get_property(file TARGET "${target}" PROPERTY CUBINET_ARCHIVE_FILE)
      add_dependencies("${archive}" "${target}")
    else()
      _cubinet_archive_path(file "${call}" "${other}")
    endif()
    if(IS_DIRECTORY "${file}")
      file(GLOB_RECURSE files CONFIGURE_DEPENDS "${file}/*")
      set_property(TARGET "${archive}" APPEND PROPERTY CUBINET_CHECKS "${files}")
    endif()
    set_property(TARGET "${archive}" APPEND PROPERTY CUBINET_OBJECTS "${file}")
  endforeach()
endfunction()

function(_cubinet_archive_path out_path call archive)
  cmake_path(ABSOLUTE_PATH archive BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE OUTPUT_VARIABLE path)
  cmake_path(IS_PREFIX CMAKE_BINARY_DIR "${path}" in_build_tree)
  if(NOT EXISTS "${path}" AND NOT in_build_tree)
    _cubinet_fail("${call}" "ARCHIVES: '${archive}' is neither an archive's target, nor a file, nor a folder. Archives of "
      "another package are there after its find_package()")
  endif()
  set(${out_path} "${path}" PARENT_SCOPE)
endfunction()

# add_compile_options(-Wall) is for the host's compiler, and would be an error here. Options in $<COMPILE_LANGUAGE:CUDA>
# are for kernels.
function(_cubinet_drop_host_options archive)
  get_property(options TARGET "${archive}" PROPERTY COMPILE_OPTIONS)
  list(FILTER options INCLUDE REGEX "COMPILE_LANG")
  set_property(TARGET "${archive}" PROPERTY COMPILE_OPTIONS "${options}")
endfunction()

macro(_cubinet_check_archive_arguments)
  if(NOT name MATCHES "^[A-Za-z0-9_.+-]+$"
      OR name MATCHES "^(all|clean|edit_cache|help|install|package|package_source|preinstall|rebuild_cache|test)$")
    _cubinet_fail("${call}" "'${name}' is not a name that a target may have. Use another, of letters, digits and _ . + -")
  elseif(TARGET "${name}")
    _cubinet_fail("${call}" "there is a target '${name}' already. Give the archive another name")
  endif()
  if(name MATCHES "^[Cc][Uu][Bb][Ii][Nn][Ee][Tt]$" AND NOT arg_NO_HEADER)
    _cubinet_fail("${call}" "the names of its header would be those of Cubinet's own. Give the archive another name, or NO_HEADER")
  endif()
  if(arg_CXX_HEADER AND arg_NO_HEADER)
    _cubinet_fail("${call}" "CXX_HEADER and NO_HEADER. Leave one of them out")
  endif()
  foreach(keyword IN ITEMS SOURCES KERNELS KERNELS_FOR INSTANTIATE GLOBALS COMPILE_DEFINITIONS COMPILE_OPTIONS TOOLKIT
      TIMEOUT MEMORY_LIMIT THREADS CONTROLS PARTS)
    if(DEFINED arg_${keyword} AND NOT DEFINED arg_MODULE AND NOT DEFINED arg_TARGET)
      _cubinet_fail("${call}" "${keyword} without MODULE. Name the module that it belongs to")
    endif()
  endforeach()
  if(arg_DEFAULT_DEVICE AND NOT DEFINED arg_MODULE AND NOT DEFINED arg_TARGET)
    _cubinet_fail("${call}" "DEFAULT_DEVICE without MODULE. Name the module that it belongs to")
  endif()
endmacro()

macro(_cubinet_add_first_module)
  set(module_arguments "")
  if(arg_DEFAULT_DEVICE)
    list(APPEND module_arguments DEFAULT_DEVICE)
  endif()
  foreach(keyword IN ITEMS SOURCES KERNELS KERNELS_FOR INSTANTIATE GLOBALS COMPILE_DEFINITIONS COMPILE_OPTIONS TOOLKIT
      TIMEOUT MEMORY_LIMIT THREADS CONTROLS PARTS)
    if(DEFINED arg_${keyword})
      list(APPEND module_arguments ${keyword} ${arg_${keyword}})
    endif()
  endforeach()
  set(_cubinet_user_call "${call}")
  cubinet_add_module("${name}" "${arg_MODULE}" ${module_arguments})
endmacro()

# Ninja builds an object library's target by building its objects, so the archive is one of them, already made. The
# property does not support $<CONFIG>.
function(_cubinet_declare_external_object file_name)
  get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  set(files "${CMAKE_CURRENT_BINARY_DIR}/${file_name}")
  if(multi_config)
    set(files "${CMAKE_CONFIGURATION_TYPES}")
    list(TRANSFORM files PREPEND "${CMAKE_CURRENT_BINARY_DIR}/")
    list(TRANSFORM files APPEND "/${file_name}")
  endif()
  set_source_files_properties(${files} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
endfunction()

# A language of the calling folder. The global property ENABLED_LANGUAGES also lists those of subprojects.
function(_cubinet_archive_language out_language call)
  foreach(language IN ITEMS C CXX)
    if(CMAKE_${language}_COMPILE_OBJECT)
      set(${out_language} ${language} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  _cubinet_fail("${call}" "the project has neither C nor C++. Name one in project(… LANGUAGES C)")
endfunction()

# Runs when everything about the archive is known.
function(_cubinet_finish_archive archive)
  get_property(objects TARGET "${archive}" PROPERTY CUBINET_OBJECTS)
  if(NOT objects)
    _cubinet_fail("cubinet_add_archive(${archive})" "the archive has no module. Give it one with MODULE and "
      "SOURCES, or with cubinet_add_module(${archive} …)")
  endif()
  _cubinet_check_job_pools("${archive}")
  _cubinet_remove_old_pchs("${archive}")
  _cubinet_resolve_language_guards("${archive}")
  _cubinet_finish_export("${archive}")
endfunction()
