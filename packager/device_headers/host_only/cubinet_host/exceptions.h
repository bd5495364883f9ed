// SPDX-License-Identifier: Apache-2.0
// The standard's exceptions.
#if !defined(CUBINET_HOST_EXCEPTIONS_H) && __cplusplus >= 201402L
#define CUBINET_HOST_EXCEPTIONS_H

#include "cubinet_host/config.h"
#include "cubinet_std/exceptions.h"

namespace std
{

_CUBINET_EXCEPTION(bad_exception, exception)
_CUBINET_EXCEPTION(bad_alloc, exception)
_CUBINET_EXCEPTION(bad_array_new_length, bad_alloc)
_CUBINET_EXCEPTION(bad_cast, exception)
_CUBINET_EXCEPTION(bad_typeid, exception)
_CUBINET_EXCEPTION(bad_function_call, exception)
_CUBINET_EXCEPTION(bad_weak_ptr, exception)
_CUBINET_EXCEPTION(logic_error, __exception_text)
_CUBINET_EXCEPTION(domain_error, logic_error)
_CUBINET_EXCEPTION(invalid_argument, logic_error)
_CUBINET_EXCEPTION(length_error, logic_error)
_CUBINET_EXCEPTION(out_of_range, logic_error)
_CUBINET_EXCEPTION(overflow_error, runtime_error)
_CUBINET_EXCEPTION(range_error, runtime_error)
_CUBINET_EXCEPTION(underflow_error, runtime_error)

_CUBINET_HOST_CLASS(exception_ptr, 1)
_CUBINET_HOST_CLASS(nested_exception, 2)
using terminate_handler = void (*)();

_CUBINET_HOST_FUNCTION(current_exception)
_CUBINET_HOST_FUNCTION(get_terminate)
_CUBINET_HOST_FUNCTION(make_exception_ptr)
_CUBINET_HOST_FUNCTION(rethrow_exception)
_CUBINET_HOST_FUNCTION(rethrow_if_nested)
_CUBINET_HOST_FUNCTION(set_terminate)
_CUBINET_HOST_FUNCTION(terminate)
_CUBINET_HOST_FUNCTION(throw_with_nested)
_CUBINET_HOST_FUNCTION(uncaught_exception)
_CUBINET_HOST_FUNCTION(uncaught_exceptions)

} // namespace std

#endif
