# Fails if a library's calls of its own exported functions can be taken over by another's of the same names, or if
# dlclose() does not leave it loaded, as nvJitLink and the caches serve the whole process, or leaves a plugin loaded.
#   cmake -DREADELF=readelf -DLIBRARY=libcubinet.so -DSTAYS=ON -P check_own_calls.cmake
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND "${READELF}" -rW "${LIBRARY}" OUTPUT_VARIABLE relocations COMMAND_ERROR_IS_FATAL ANY)
if(NOT relocations MATCHES " malloc[@ \n]")
  message(FATAL_ERROR "not the relocations that were expected:\n${relocations}")
endif()
string(REGEX MATCHALL "[^\n]* cubinet_[^\n]*" own "${relocations}")
if(own)
  list(JOIN own "\n" own)
  message(SEND_ERROR "the dynamic loader decides whom these are about:\n${own}")
endif()

execute_process(COMMAND "${READELF}" -dW "${LIBRARY}" OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
if(NOT dynamic MATCHES "FLAGS_1[^\n]* NODELETE" AND STAYS)
  message(SEND_ERROR "${LIBRARY} can be unloaded: it lacks -z nodelete")
elseif(dynamic MATCHES "FLAGS_1[^\n]* NODELETE" AND NOT STAYS)
  message(SEND_ERROR "${LIBRARY} can't be unloaded: it was linked with -z nodelete")
endif()

execute_process(COMMAND "${READELF}" --dyn-syms -W "${LIBRARY}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]* cubinet_[^@\n]*(\n|$)" unversioned "${symbols}")
if(unversioned)
  message(SEND_ERROR "exported without a version:\n${unversioned}")
endif()
