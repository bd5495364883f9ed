#[=======================================================================[.rst:
FindCubinetToolkit
------------------

Finds the CUDA toolkit that ``cubinet compile`` uses: NVRTC, nvJitLink and the headers. It may be an
installation of the whole toolkit or NVIDIA's Python wheels, needs no ``nvcc``, and is not searched for on the
compiler's behalf: ``find_package(CUDAToolkit)`` is neither needed nor called.

A root that was given is the only one looked at; another is never taken in its place. In this order:

1. the variable ``CUBINET_TOOLKIT``, then the environment variable of that name
2. the variable ``CUDAToolkit_ROOT``, then the environment variable of that name
3. the toolkit of an earlier ``find_package(CUDAToolkit)``
4. the environment variables ``CUDA_HOME`` and ``CUDA_PATH``

Without any of them: the wheels beside Cubinet's own, where this file is in one; those of the activated Python environment (``VIRTUAL_ENV``, ``CONDA_PREFIX``), then
``/usr/local/cuda``, the packages of the ``python3`` of the ``PATH``, and the user's own. A root may also be a folder of
Python packages: ``site-packages`` or ``nvidia`` in it, or an environment's prefix.

Result variables
^^^^^^^^^^^^^^^^

``CubinetToolkit_FOUND``
  True if there is one.
``CubinetToolkit_ROOT``
  Its folder, for ``cubinet compile --toolkit``.
``CubinetToolkit_VERSION``
  The CUDA release of its NVRTC, such as ``13.0``.
``CubinetToolkit_ARCHITECTURES``
  The numbers of the architectures that it compiles for, ascending.
``CubinetToolkit_NVJITLINK``
  Its nvJitLink, without which ``cubinet compile`` makes no machine code; empty if it has none.
``CubinetToolkit_INCLUDE_DIR``
  The folder of its headers; empty if it has none.
``CubinetToolkit_TRIED``
  The folders that were looked at.
#]=======================================================================]

# The files under a root that have this name, a pattern, in the folder that every kind of installation has for them:
# lib or include. Wheels of CUDA 12 have one of their own for each package.
function(_cubinet_toolkit_files out_files root folder package name)
  set(places "${root}/${folder}" "${root}/targets/*/${folder}")
  if(folder STREQUAL "lib")
    list(APPEND places "${root}/lib64" "${root}/lib/*-linux-gnu")
  endif()
  foreach(wheels IN ITEMS "" nvidia/ "lib/python3*/site-packages/nvidia/" "lib/python3*/dist-packages/nvidia/")
    list(APPEND places "${root}/${wheels}${package}/${folder}" "${root}/${wheels}cu[0-9]*/${folder}")
  endforeach()
  list(TRANSFORM places APPEND "/${name}")
  file(GLOB files ${places})
  set(${out_files} "${files}" PARENT_SCOPE)
endfunction()

# The release of the NVRTC under a root. The name of its built-ins library has both numbers in every kind of
# installation; that of libnvrtc itself may have only one or none.
function(_cubinet_toolkit_version out_version root)
  _cubinet_toolkit_files(libraries "${root}" lib cuda_nvrtc "libnvrtc-builtins.so.*")
  set(version "")
  foreach(library IN LISTS libraries)
    if(library MATCHES "builtins[.]so[.]([0-9]+[.][0-9]+)")
      set(version "${CMAKE_MATCH_1}")
      break()
    endif()
  endforeach()
  set(${out_version} "${version}" PARENT_SCOPE)
endfunction()

# nvJitLink, which makes the machine code, and the folder of the headers: empty if they are missing.
function(_cubinet_toolkit_parts out_nvjitlink out_include_dir root version)
  string(REGEX MATCH "^[0-9]+" major "${version}")
  _cubinet_toolkit_files(libraries "${root}" lib nvjitlink "libnvJitLink.so.${major}")
  _cubinet_toolkit_files(headers "${root}" include cuda_runtime cuda_fp16.h)
  set(nvjitlink "")
  set(include_dir "")
  if(libraries)
    list(GET libraries 0 nvjitlink)
  endif()
  if(headers)
    list(GET headers 0 header)
    cmake_path(GET header PARENT_PATH include_dir)
  endif()
  set(${out_nvjitlink} "${nvjitlink}" PARENT_SCOPE)
  set(${out_include_dir} "${include_dir}" PARENT_SCOPE)
endfunction()

# The architectures of each release. A release newer than the last line supports at least those of the last line.
function(_cubinet_toolkit_architectures out_numbers version)
  if(version VERSION_LESS 12.8)
    set(numbers 50 52 53 60 61 62 70 72 75 80 86 87 89 90)
  elseif(version VERSION_LESS 12.9)
    set(numbers 50 52 53 60 61 62 70 72 75 80 86 87 89 90 100 101 120)
  elseif(version VERSION_LESS 13)
    set(numbers 50 52 53 60 61 62 70 72 75 80 86 87 89 90 100 101 103 120 121)
  else()
    set(numbers 75 80 86 87 88 89 90 100 103 110 120 121)
  endif()
  set(${out_numbers} "${numbers}" PARENT_SCOPE)
endfunction()

# The one root that was given, and by what; or empty.
function(_cubinet_toolkit_given out_root out_origin)
  set(root "")
  set(origin "")
  foreach(name IN ITEMS
      CUBINET_TOOLKIT ENV{CUBINET_TOOLKIT}
      CUDAToolkit_ROOT ENV{CUDAToolkit_ROOT}
      CUDAToolkit_LIBRARY_ROOT
      ENV{CUDA_HOME} ENV{CUDA_PATH})
    if(name MATCHES "^ENV{(.*)}$")
      set(root "$ENV{${CMAKE_MATCH_1}}")
      set(origin "the environment variable ${CMAKE_MATCH_1}")
    else()
      set(root "${${name}}")
      set(origin "${name}")
    endif()
    if(root)
      break()
    endif()
  endforeach()
  if(origin STREQUAL "CUDAToolkit_LIBRARY_ROOT")
    set(origin "find_package(CUDAToolkit)")
  endif()
  set(${out_root} "${root}" PARENT_SCOPE)
  set(${out_origin} "${origin}" PARENT_SCOPE)
endfunction()

# The prefix of the Python that `python3` starts.
function(_cubinet_toolkit_python_prefix out_prefix)
  set(prefix "")
  unset(_cubinet_python) # a value of the caller's would be taken as the answer
  find_program(_cubinet_python NAMES python3 PATHS ENV PATH NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH NO_CACHE)
  if(_cubinet_python)
    cmake_path(GET _cubinet_python PARENT_PATH prefix)
    cmake_path(GET prefix PARENT_PATH prefix)
  endif()
  set(${out_prefix} "${prefix}" PARENT_SCOPE)
endfunction()

# The order is that of `cubinet compile` (packager/toolkit/toolkit.c).
function(_cubinet_toolkit_candidates out_roots)
  _cubinet_toolkit_given(roots origin)
  if(NOT roots)
    set(beside "")
    if(CMAKE_CURRENT_FUNCTION_LIST_DIR MATCHES "^(.+)/cubinet/lib/cmake/Cubinet$")
      set(beside "${CMAKE_MATCH_1}")
    endif()
    set(roots "${beside}" "$ENV{VIRTUAL_ENV}" "$ENV{CONDA_PREFIX}" /usr/local/cuda)
    _cubinet_toolkit_python_prefix(python_prefix)
    list(APPEND roots "${python_prefix}")
    if(NOT "$ENV{HOME}" STREQUAL "")
      list(APPEND roots "$ENV{HOME}/.local")
    endif()
    list(REMOVE_ITEM roots "")
    list(REMOVE_DUPLICATES roots)
  endif()
  set(${out_roots} "${roots}" PARENT_SCOPE)
endfunction()

set(CubinetToolkit_ROOT "")
set(CubinetToolkit_VERSION "")
set(CubinetToolkit_ARCHITECTURES "")
set(CubinetToolkit_NVJITLINK "")
set(CubinetToolkit_INCLUDE_DIR "")
_cubinet_toolkit_candidates(CubinetToolkit_TRIED)
foreach(_cubinet_root IN LISTS CubinetToolkit_TRIED)
  _cubinet_toolkit_version(CubinetToolkit_VERSION "${_cubinet_root}")
  if(CubinetToolkit_VERSION)
    set(CubinetToolkit_ROOT "${_cubinet_root}")
    _cubinet_toolkit_architectures(CubinetToolkit_ARCHITECTURES "${CubinetToolkit_VERSION}")
    _cubinet_toolkit_parts(CubinetToolkit_NVJITLINK CubinetToolkit_INCLUDE_DIR "${CubinetToolkit_ROOT}"
      "${CubinetToolkit_VERSION}")
    break()
  endif()
endforeach()
unset(_cubinet_root)

string(REPLACE ";" ", " _cubinet_tried "${CubinetToolkit_TRIED}")
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CubinetToolkit
  REQUIRED_VARS CubinetToolkit_ROOT
  VERSION_VAR CubinetToolkit_VERSION
  REASON_FAILURE_MESSAGE "No libnvrtc-builtins.so.* in: ${_cubinet_tried}. Set CUBINET_TOOLKIT to the folder of a toolkit")
unset(_cubinet_tried)
