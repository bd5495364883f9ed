// SPDX-License-Identifier: Apache-2.0
// Which types the functions of <cmath> convert to double, without <type_traits>.
#ifndef CUBINET_STD_ARITHMETIC_H
#define CUBINET_STD_ARITHMETIC_H

namespace std
{
namespace __cubinet
{

// What a function makes of an argument: `__type` is there for arithmetic types alone.
template <class _Ty> struct __math {
};
template <> struct __math<float> {
    typedef float __type;
};

struct __math_as_double {
    typedef double __type;
    typedef double __converted; // for types of which there is no overload
};
template <> struct __math<double> {
    typedef double __type;
};
template <> struct __math<long double> : __math_as_double {
};
template <> struct __math<bool> : __math_as_double {
};
template <> struct __math<char> : __math_as_double {
};
template <> struct __math<signed char> : __math_as_double {
};
template <> struct __math<unsigned char> : __math_as_double {
};
template <> struct __math<wchar_t> : __math_as_double {
};
template <> struct __math<char16_t> : __math_as_double {
};
template <> struct __math<char32_t> : __math_as_double {
};
template <> struct __math<short> : __math_as_double {
};
template <> struct __math<unsigned short> : __math_as_double {
};
template <> struct __math<int> : __math_as_double {
};
template <> struct __math<unsigned int> : __math_as_double {
};
template <> struct __math<long> : __math_as_double {
};
template <> struct __math<unsigned long> : __math_as_double {
};
template <> struct __math<long long> : __math_as_double {
};
template <> struct __math<unsigned long long> : __math_as_double {
};

template <class _Ty> using __math_converted = typename __math<_Ty>::__converted;

// Of two or three arguments of different types: double, for if all were float, there is an overload.
template <class...> struct __math_first {
    typedef double __type;
};
template <class... _Ts> using __math_common = typename __math_first<typename __math<_Ts>::__type...>::__type;

// What functions are called with that are chosen by types: float if all are float, double for other arithmetic types, and
// what the arguments are of types that convert to one of these.
template <class...> struct __math_void {
    typedef void __type;
};
template <class _Ta, class _Tb, class = void> struct __math_arguments {
    typedef const _Ta &__first;
    typedef const _Tb &__second;
};
template <class _Ta, class _Tb>
struct __math_arguments<
    _Ta, _Tb, typename __math_void<typename __math<_Ta>::__type, typename __math<_Tb>::__type>::__type> {
    typedef double __first;
    typedef double __second;
};
template <> struct __math_arguments<float, float, void> {
    typedef float __first;
    typedef float __second;
};
template <class _Ty> using __math_argument = typename __math_arguments<_Ty, _Ty>::__first;

} // namespace __cubinet
} // namespace std

#endif
