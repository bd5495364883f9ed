// SPDX-License-Identifier: Apache-2.0
// assert(), anew in each inclusion: it does what NDEBUG says there.
#undef assert
#ifdef NDEBUG
#define assert(...) (static_cast<void>(0))
#else
#define assert(...)                                                                                          \
    (static_cast<bool>(__VA_ARGS__)                                                                          \
         ? static_cast<void>(0)                                                                              \
         : __assertfail(#__VA_ARGS__, __FILE__, __LINE__, __PRETTY_FUNCTION__, sizeof(char)))
#endif
