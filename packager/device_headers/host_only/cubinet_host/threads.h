// SPDX-License-Identifier: Apache-2.0
// Threads, and what keeps them apart.
#if !defined(CUBINET_HOST_THREADS_H) && __cplusplus >= 201402L
#define CUBINET_HOST_THREADS_H

#include "cubinet_host/exceptions.h"
#include "cubinet_host/system_error.h"
#include <chrono>
#include <tuple>

namespace std
{

_CUBINET_HOST_CLASS(mutex, 5)
_CUBINET_HOST_CLASS(recursive_mutex, 5)
_CUBINET_HOST_CLASS(timed_mutex, 5)
_CUBINET_HOST_CLASS(recursive_timed_mutex, 5)
_CUBINET_HOST_CLASS(shared_mutex, 7)
_CUBINET_HOST_CLASS(shared_timed_mutex, 7)
_CUBINET_HOST_CLASS(condition_variable, 6)
_CUBINET_HOST_CLASS(condition_variable_any, 8)
_CUBINET_HOST_CLASS(jthread, 2)
_CUBINET_HOST_CLASS(stop_source, 1)
_CUBINET_HOST_CLASS(stop_token, 1)
enum class cv_status { no_timeout, timeout };

class thread
{
    _CUBINET_HOST_ONLY(thread)
    using native_handle_type = unsigned long;
    _CUBINET_HOST_CLASS(id, 1)
    _CUBINET_HOST_WORDS(1)
};

#define _CUBINET_HOST_SMALL(name)                                                                            \
    class name                                                                                               \
    {                                                                                                        \
        _CUBINET_HOST_ONLY(name)                                                                             \
      private:                                                                                               \
        int __word;                                                                                          \
    };
_CUBINET_HOST_SMALL(latch)
_CUBINET_HOST_SMALL(once_flag)
template <ptrdiff_t _Most = 2147483647> _CUBINET_HOST_SMALL(counting_semaphore)
using binary_semaphore = counting_semaphore<1>;
#undef _CUBINET_HOST_SMALL

struct defer_lock_t {
};
struct try_to_lock_t {
};
struct adopt_lock_t {
};
_CUBINET_INLINE_VARIABLE defer_lock_t defer_lock{};
_CUBINET_INLINE_VARIABLE try_to_lock_t try_to_lock{};
_CUBINET_INLINE_VARIABLE adopt_lock_t adopt_lock{};

template <class _Completion = void> _CUBINET_HOST_CLASS(barrier, 4)
template <class _Mutex> _CUBINET_HOST_CLASS(lock_guard, 1)
template <class _Mutex> _CUBINET_HOST_CLASS(shared_lock, 2)
template <class _Mutex> _CUBINET_HOST_CLASS(unique_lock, 2)
template <class... _Mutexes> _CUBINET_HOST_CLASS(scoped_lock, sizeof...(_Mutexes))

template <class _Ty> _CUBINET_HOST_CLASS(future, 2)
template <class _Ty> _CUBINET_HOST_CLASS(shared_future, 2)
template <class _Ty> _CUBINET_HOST_CLASS(promise, 3)
template <class _Signature> _CUBINET_HOST_CLASS(packaged_task, 2)
_CUBINET_EXCEPTION(future_error, logic_error)
enum class future_status { ready, timeout, deferred };
enum class launch { async = 1, deferred = 2 };

_CUBINET_HOST_FUNCTION(async)
_CUBINET_HOST_FUNCTION(call_once)
_CUBINET_HOST_FUNCTION(lock)
_CUBINET_HOST_FUNCTION(try_lock)

namespace this_thread
{
_CUBINET_HOST_FUNCTION(get_id)
_CUBINET_HOST_FUNCTION(sleep_for)
_CUBINET_HOST_FUNCTION(sleep_until)
_CUBINET_HOST_FUNCTION(yield)
} // namespace this_thread

} // namespace std

#endif
