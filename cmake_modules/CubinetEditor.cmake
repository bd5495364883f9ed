# Entries of compile_commands.json for kernel sources, so that clangd and other tools can read them. CMake lists only
# its own compiles, so editor/CMakeLists.txt pretends that it compiles these.
include_guard(GLOBAL)

# Lists a source as one module compiles it; of several that share it, as the first does.
#   groups     the architectures
#   arguments  the module's own options
function(_cubinet_list_for_editors archive source groups arguments)
  get_property(sources TARGET "${archive}" PROPERTY _CUBINET_EDITOR_SOURCES)
  if(NOT CMAKE_EXPORT_COMPILE_COMMANDS OR NOT CubinetToolkit_FOUND OR NOT EXISTS "${source}"
      OR source IN_LIST sources)
    return()
  endif()
  set_property(TARGET "${archive}" APPEND PROPERTY _CUBINET_EDITOR_SOURCES "${source}")
  set(target "cubinet_editor_${archive}")
  _cubinet_archive_language(language "cubinet_add_archive(${archive})")
  if(NOT TARGET "${target}")
    add_subdirectory("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/editor"
      "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.folder" EXCLUDE_FROM_ALL)
  endif()
  target_sources("${target}" PRIVATE "${source}")
  _cubinet_editor_options(options "${groups}" "${arguments}")
  set_source_files_properties("${source}" TARGET_DIRECTORY "${target}" PROPERTIES
    LANGUAGE ${language}
    COMPILE_OPTIONS "${options}")
endfunction()

# Clang's options for a source: NVRTC's dialect as far as it is known, and those of the module's options that clang
# supports.
function(_cubinet_editor_options out_options groups arguments)
  _cubinet_editor_architecture(number "${groups}")
  set(editor_directory "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/editor")
  set(options -x cuda --cuda-device-only --cuda-gpu-arch=sm_${number} -nocudainc -nocudalib
    -Xclang -fcuda-allow-variadic-functions -Wno-unknown-cuda-version)
  set(prelude nvrtc.h)
  if(arguments MATCHES "(^|;)--?default-device(;|$)")
    set(prelude default_device.h)
  endif()
  list(FILTER arguments INCLUDE REGEX "^-(D|U|I|std=)|>:-[DI][$]<JOIN:")
  list(APPEND options ${arguments} -isystem "${editor_directory}")
  _cubinet_toolkit_includes(folders "${CubinetToolkit_ROOT}")
  foreach(folder IN LISTS folders)
    list(APPEND options -isystem "${folder}")
  endforeach()
  set(${out_options} "${options}" -include "${editor_directory}/${prelude}" PARENT_SCOPE)
endfunction()

# The newest architecture that every clang knows which reads CUDA 12's headers.
function(_cubinet_editor_architecture out_number groups)
  set(number 0)
  string(REGEX MATCHALL "compute_[0-9]+" virtuals "${groups}")
  foreach(virtual IN LISTS virtuals)
    string(REPLACE "compute_" "" candidate "${virtual}")
    if(candidate GREATER number AND candidate LESS_EQUAL 86)
      set(number ${candidate})
    endif()
  endforeach()
  if(number EQUAL 0)
    set(number 86)
  endif()
  set(${out_number} ${number} PARENT_SCOPE)
endfunction()

# The folders of headers under a toolkit's root, of every kind of installation.
function(_cubinet_toolkit_includes out_folders root)
  file(GLOB folders
    "${root}/include"
    "${root}/targets/*/include"
    "${root}/*/include"
    "${root}/nvidia/*/include"
    "${root}/lib/python3*/site-packages/nvidia/*/include")
  set(includes "")
  foreach(folder IN LISTS folders)
    file(REAL_PATH "${folder}" folder)
    if(EXISTS "${folder}/cccl/cuda/std")
      list(APPEND includes "${folder}/cccl")
    endif()
    if(EXISTS "${folder}/cuda_runtime.h" OR EXISTS "${folder}/crt/host_defines.h" OR EXISTS "${folder}/cuda/std")
      list(APPEND includes "${folder}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES includes)
  list(REMOVE_ITEM includes /usr/include /usr/local/include) # which have a place of their own in the search
  set(${out_folders} "${includes}" PARENT_SCOPE)
endfunction()
