// SPDX-License-Identifier: Apache-2.0
// std::error_code and std::system_error.
#if !defined(CUBINET_HOST_SYSTEM_ERROR_H) && __cplusplus >= 201402L
#define CUBINET_HOST_SYSTEM_ERROR_H

#include "cubinet_host/exceptions.h"
#include "cubinet_host/string.h"
#include <errno.h>

namespace std
{

_CUBINET_HOST_CLASS(error_category, 1)
_CUBINET_HOST_CLASS(error_code, 2)
_CUBINET_HOST_CLASS(error_condition, 2)
enum class errc { invalid_argument = 22, not_enough_memory = 12, no_such_file_or_directory = 2 };

class system_error : public runtime_error
{
  public:
    template <class... _Any> _CUBINET_HD explicit system_error(const _Any &...)
    {
    }

  private:
    void *__code[2];
};

template <class _Ty> struct is_error_code_enum : false_type {
};
template <class _Ty> struct is_error_condition_enum : false_type {
};
_CUBINET_HOST_FUNCTION(generic_category)
_CUBINET_HOST_FUNCTION(make_error_code)
_CUBINET_HOST_FUNCTION(make_error_condition)
_CUBINET_HOST_FUNCTION(system_category)

} // namespace std

#endif
