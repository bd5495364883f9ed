# SPDX-License-Identifier: Apache-2.0
# What KERNELS_FOR and INSTANTIATE stand for. Run with cmake -P.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/../../cmake_modules/CubinetFunctions.cmake")

# expect("WHAT" EXPRESSION…): compares the list `instances` with the expressions.
function(expect what)
  if(NOT instances STREQUAL ARGN)
    message(SEND_ERROR "${what}:\n  ${instances}\ninstead of\n  ${ARGN}")
  endif()
endfunction()

# expect_words("WORDS" EXPRESSION…)
function(expect_words words)
  _cubinet_instances_of_words(instances "expect_words()" "${words}")
  expect("${words}" ${ARGN})
endfunction()

# expect_entry("JSON" EXPRESSION…)
function(expect_entry json)
  _cubinet_instances_of_entry(instances "expect_entry()" "${json}")
  expect("${json}" ${ARGN})
endfunction()

expect_words("")
expect_words("scale" "scale")
expect_words("T=float;scale<@T@>" "scale<float>")
expect_words("T=float,double;B=128,256;segsum<@T@,int,@B@,4>"
  "segsum<float,int,128,4>" "segsum<float,int,256,4>" "segsum<double,int,128,4>" "segsum<double,int,256,4>")
expect_words("T=float,double;B=1,2;scale<@T@>;tile<@T@,@B@>;plain"
  "scale<float>" "scale<double>" "tile<float,1>" "tile<float,2>" "tile<double,1>" "tile<double,2>" "plain")
expect_words("T=pair<int,float>,array<tuple<int,char>,(1,2)>;sort<@T@>"
  "sort<pair<int,float>>" "sort<array<tuple<int,char>,(1,2)>>")
expect_words("T=int;swap<@T@,@T@>" "swap<int,int>")
expect_words("sort<@T@>;T=unsigned int,int" "sort<unsigned int>" "sort<int>")

expect_entry([[{"kernels": "scale"}]] "scale")
expect_entry([[{"for": {"T": ["float", "double"], "B": [128, 256]}, "kernels": ["segsum<@T@,int,@B@,4>"]}]]
  "segsum<float,int,128,4>" "segsum<double,int,128,4>" "segsum<float,int,256,4>" "segsum<double,int,256,4>")
expect_entry([[{"for": [{"T": "float", "B": 256}, {"T": ["double", "long"], "B": 128}], "kernels": "segsum<@T@,@B@>"}]]
  "segsum<float,256>" "segsum<double,128>" "segsum<long,128>")
expect_entry([[{"for": {"NEGATE": [true, false], "T": "pair<int,int>"}, "kernels": ["scan<@T@,@NEGATE@>", "count"]}]]
  "scan<pair<int,int>,true>" "scan<pair<int,int>,false>" "count")
