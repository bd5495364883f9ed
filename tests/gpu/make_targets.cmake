# Files a kernel for every target that a toolkit makes: cubin and PTX of each architecture, also with the suffixes.
#
#     cmake -DCOMMAND=cubinet -DSOURCE=targets.cu -DOUT=targets.cubinet [-DTOOLKIT=DIR] -P make_targets.cmake
cmake_minimum_required(VERSION 3.25)
set(compile "${COMMAND}" compile "${SOURCE}" -w)
if(TOOLKIT)
  list(APPEND compile --toolkit "${TOOLKIT}")
endif()
execute_process(COMMAND ${compile} -o "${OUT}" --arch all COMMAND_ERROR_IS_FATAL ANY)

# What `all` made says which architectures there are. Suffix a exists from 9.0 and f from 10.0 (and CUDA 12.9, the first
# to make code for 12.1).
execute_process(COMMAND "${COMMAND}" list --json "${OUT}" OUTPUT_VARIABLE listing COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "sm_[0-9]+" architectures "${listing}")
list(TRANSFORM architectures REPLACE "sm_" "")
set(arguments)
foreach(number IN LISTS architectures)
  set(targets ${number})
  if(number GREATER_EQUAL 90)
    list(APPEND targets ${number}a)
  endif()
  if(number GREATER_EQUAL 100 AND 121 IN_LIST architectures)
    list(APPEND targets ${number}f)
  endif()
  foreach(target IN LISTS targets)
    list(APPEND arguments --gencode "arch=compute_${target},code=[sm_${target},compute_${target}]")
  endforeach()
endforeach()
execute_process(COMMAND ${compile} -o "${OUT}" ${arguments} COMMAND_ERROR_IS_FATAL ANY)
