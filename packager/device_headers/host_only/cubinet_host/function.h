// SPDX-License-Identifier: Apache-2.0
// std::function.
#if !defined(CUBINET_HOST_FUNCTION_H) && __cplusplus >= 201402L
#define CUBINET_HOST_FUNCTION_H

#include "cubinet_host/config.h"

namespace std
{

template <class _Signature> class function;
template <class _Result, class... _Args> class function<_Result(_Args...)>
{
    _CUBINET_HOST_ONLY(function)
    using result_type = _Result;
    _CUBINET_HOST_MEMBER(_Result, operator())
    _CUBINET_HOST_WORDS(4)
};

} // namespace std

#endif
