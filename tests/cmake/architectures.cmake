# SPDX-License-Identifier: Apache-2.0
# What the words of ARCHITECTURES and GENCODE compile. Run with cmake -P.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/../../cmake_modules/CubinetFunctions.cmake")

# expect("WORDS" "GENCODES" GROUP…)
macro(expect words gencodes)
  _cubinet_resolve_architectures(groups "expect()" "${words}" "${gencodes}")
  if(NOT "${groups}" STREQUAL "${ARGN}")
    message(SEND_ERROR "'${words}' '${gencodes}':\n  ${groups}\ninstead of\n  ${ARGN}")
  endif()
endmacro()

set(CubinetToolkit_VERSION 13.0)
set(CubinetToolkit_ARCHITECTURES 75 80 86 87 88 89 90 100 103 110 120 121)

expect("80" "" "compute_80:sm_80,compute_80")
expect("80-real" "" "compute_80:sm_80")
expect("80-virtual" "" "compute_80:compute_80")
expect("80-real;80-virtual" "" "compute_80:sm_80,compute_80")
expect("80;80-real" "" "compute_80:sm_80,compute_80")
expect("90;90a-real" "" "compute_90:sm_90,compute_90" "compute_90a:sm_90a")
expect("100f" "" "compute_100f:sm_100f,compute_100f")
expect("75-lto" "" "compute_75:lto_75")
expect("75-lto;90a-lto;90-real" "" "compute_75:lto_75" "compute_90a:lto_90a" "compute_90:sm_90")
expect("80;80-lto" "" "compute_80:sm_80,compute_80,lto_80")
expect("75-optix;80-real" "" "compute_75:optix_75" "compute_80:sm_80")
expect("" "arch=compute_80,code=[sm_80,optix_80]" "compute_80:sm_80,optix_80")
expect("" "arch=compute_80,code=[sm_80,lto_80]" "compute_80:sm_80,lto_80")
expect("90a;90" "" "compute_90a:sm_90a,compute_90a" "compute_90:sm_90,compute_90")
expect("" "arch=compute_80,code=[sm_80,sm_86]" "compute_80:sm_80,sm_86")
expect("" "arch=compute_80,code=sm_80;arch=compute_80,code=compute_80" "compute_80:sm_80,compute_80")
expect("" "arch=compute_100f,code=[sm_103f,sm_100f]" "compute_100f:sm_103f,sm_100f")
expect("90a-real" "arch=compute_90,code=[sm_90,compute_90]" "compute_90a:sm_90a" "compute_90:sm_90,compute_90")
expect("75-real" "arch=compute_80,code=sm_86" "compute_75:sm_75" "compute_80:sm_86")
expect("80" "arch=compute_80,code=sm_86" "compute_80:sm_80,compute_80,sm_86")
expect("all-major" "" "compute_75:sm_75" "compute_80:sm_80" "compute_90:sm_90" "compute_100:sm_100"
  "compute_110:sm_110" "compute_120:sm_120,compute_120")
expect("portable" "" "compute_75:sm_75,compute_75" "compute_80:sm_80" "compute_90:sm_90" "compute_100:sm_100"
  "compute_120:sm_120,compute_120")
expect("portable;90a-real" "" "compute_75:sm_75,compute_75" "compute_80:sm_80" "compute_90:sm_90"
  "compute_100:sm_100" "compute_120:sm_120,compute_120" "compute_90a:sm_90a")

expect("all" "" "compute_75:sm_75" "compute_80:sm_80" "compute_86:sm_86" "compute_87:sm_87" "compute_88:sm_88"
  "compute_89:sm_89" "compute_90:sm_90" "compute_100:sm_100" "compute_103:sm_103" "compute_110:sm_110"
  "compute_120:sm_120,compute_120" "compute_121:sm_121")

# What is compiled when nothing is said.
unset(ENV{CUDAARCHS})
expect("" "" "compute_75:sm_75,compute_75" "compute_80:sm_80" "compute_90:sm_90" "compute_100:sm_100"
  "compute_120:sm_120,compute_120")
set(ENV{CUDAARCHS} "86-real;90")
expect("" "" "compute_86:sm_86" "compute_90:sm_90,compute_90")
set(CMAKE_CUDA_ARCHITECTURES 120)
expect("" "" "compute_120:sm_120,compute_120")

# An older toolkit.
set(CubinetToolkit_VERSION 12.9)
set(CubinetToolkit_ARCHITECTURES 50 52 53 60 61 62 70 72 75 80 86 87 89 90 100 101 103 120 121)
expect("portable" "" "compute_50:sm_50,compute_50" "compute_60:sm_60" "compute_70:sm_70" "compute_80:sm_80"
  "compute_90:sm_90" "compute_100:sm_100" "compute_120:sm_120,compute_120")
