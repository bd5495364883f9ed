# Keyword arguments, checked: an unknown keyword, one without a value and one given twice are errors that name
# the call.
include_guard(GLOBAL)

# Stops the configuration. `call` is what the user wrote, such as "cubinet_add_archive(kernels)".
function(_cubinet_fail call)
  list(JOIN ARGN "" text)
  message(FATAL_ERROR "${call}: ${text}")
endfunction()

# Reads ARGN into variables of the caller named arg_KEYWORD, as cmake_parse_arguments() does.
macro(_cubinet_parse_arguments call one_value_keywords multi_value_keywords)
  _cubinet_check_repeats("${call}" "${one_value_keywords};${multi_value_keywords}" ${ARGN})
  cmake_parse_arguments(arg "" "${one_value_keywords}" "${multi_value_keywords}" ${ARGN})
  if(DEFINED arg_UNPARSED_ARGUMENTS)
    list(GET arg_UNPARSED_ARGUMENTS 0 arg_unknown)
    string(REPLACE ";" ", " arg_known "${one_value_keywords};${multi_value_keywords}")
    _cubinet_fail("${call}" "unknown argument '${arg_unknown}'. The keywords are ${arg_known}")
  endif()
  if(DEFINED arg_KEYWORDS_MISSING_VALUES)
    list(GET arg_KEYWORDS_MISSING_VALUES 0 arg_empty)
    _cubinet_fail("${call}" "${arg_empty} has no value. Give it one, or leave the keyword out")
  endif()
endmacro()

function(_cubinet_check_repeats call keywords)
  foreach(keyword IN LISTS keywords)
    set(positions ${ARGN})
    list(FILTER positions INCLUDE REGEX "^${keyword}$")
    list(LENGTH positions count)
    if(count GREATER 1)
      _cubinet_fail("${call}" "${keyword} is given ${count} times. Give it once, with all its values")
    endif()
  endforeach()
endfunction()
