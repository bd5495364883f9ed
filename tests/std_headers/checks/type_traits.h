/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_TYPE_TRAITS_H
#define CHECK_TYPE_TRAITS_H

#include <type_traits>

namespace check_types
{
struct empty {
};
struct base {
    __device__ virtual ~base()
    {
    }
};
struct derived final : base {
    int member;
    __device__ int function(double) const noexcept;
};
enum plain : unsigned char { one };
enum class scoped { one };
union either {
    int a;
    float b;
};
struct from_int {
    __device__ from_int(int) noexcept;
};
struct needs_int {
    __device__ explicit needs_int(int);
    needs_int(const needs_int &) = delete;
};
struct destroyed {
    __device__ ~destroyed();
};
} // namespace check_types

template <class T> __device__ __noinline__ inline void check_traits_of(check_values &out)
{
    CHECK_SHOW(std::is_void<T>::value, std::is_integral<T>::value, std::is_floating_point<T>::value,
               std::is_array<T>::value, std::is_enum<T>::value, std::is_union<T>::value,
               std::is_class<T>::value, std::is_function<T>::value, std::is_pointer<T>::value,
               std::is_reference<T>::value, std::is_member_pointer<T>::value,
               std::is_member_function_pointer<T>::value, std::is_arithmetic<T>::value,
               std::is_scalar<T>::value, std::is_object<T>::value, std::is_fundamental<T>::value,
               std::is_const<T>::value, std::is_signed<T>::value, std::is_unsigned<T>::value,
               std::is_destructible<T>::value, std::is_swappable<T>::value);
}
template <class T> __device__ __noinline__ inline void check_object_traits_of(check_values &out)
{
    CHECK_SHOW(std::is_trivially_copyable<T>::value, std::is_standard_layout<T>::value,
               std::is_default_constructible<T>::value, std::is_copy_constructible<T>::value,
               std::is_copy_assignable<T>::value, std::is_nothrow_move_constructible<T>::value,
               std::is_trivially_destructible<T>::value, std::is_nothrow_destructible<T>::value,
               std::is_trivially_copy_assignable<T>::value, std::alignment_of<T>::value);
}

__device__ __noinline__ inline void check_type_traits(check_values &out)
{
    using namespace check_types;
    check_traits_of<void>(out);
    check_traits_of<const int>(out);
    check_traits_of<unsigned char>(out);
    check_traits_of<double &>(out);
    check_traits_of<int[3]>(out);
    check_traits_of<int (*)(int)>(out);
    check_traits_of<int(int)>(out);
    check_traits_of<decltype(&derived::function)>(out);
    check_traits_of<decltype(&derived::member)>(out);
    check_traits_of<scoped>(out);
    check_traits_of<either>(out);
    check_object_traits_of<int>(out);
    check_object_traits_of<empty>(out);
    check_object_traits_of<needs_int>(out);
    check_object_traits_of<destroyed>(out);
    CHECK_SHOW(std::is_empty<empty>::value, std::is_final<derived>::value, std::is_polymorphic<base>::value,
               std::has_virtual_destructor<derived>::value, std::is_abstract<base>::value,
               std::is_aggregate<empty>::value, std::is_base_of<base, derived>::value,
               std::is_convertible<int, from_int>::value, std::is_convertible<int, needs_int>::value,
               std::is_nothrow_convertible<int, from_int>::value,
               std::is_constructible<needs_int, int>::value,
               std::is_nothrow_constructible<from_int, int>::value, std::is_assignable<int &, double>::value,
               std::is_same<int, const int>::value);
    CHECK_SHOW(std::is_same<std::common_type_t<char, short, float>, float>::value,
               std::is_same<std::decay_t<const int[2]>, const int *>::value,
               std::is_same<std::make_signed_t<const unsigned long>, const long>::value,
               std::is_same<std::underlying_type_t<plain>, unsigned char>::value,
               std::is_same<std::conditional_t<false, int, char>, char>::value,
               std::is_same<std::remove_cvref_t<const int &>, int>::value,
               std::is_same<std::remove_all_extents_t<int[2][3]>, int>::value,
               std::is_same<std::add_pointer_t<int &>, int *>::value,
               std::is_same<std::add_lvalue_reference_t<void>, void>::value,
               std::is_same<std::make_unsigned_t<scoped>, unsigned>::value, std::rank<int[2][3][4]>::value,
               std::extent<int[2][3], 1>::value, sizeof(std::aligned_storage_t<5, 8>));
    CHECK_SHOW(std::is_invocable<decltype(&derived::function), derived &, int>::value,
               std::is_invocable<int(int), int *>::value,
               std::is_nothrow_invocable<decltype(&derived::function), const derived *, double>::value,
               std::is_invocable_r<long, int (*)()>::value,
               std::is_same<std::invoke_result_t<decltype(&derived::member), derived>, int &&>::value,
               std::conjunction<std::true_type, std::is_void<void>>::value,
               std::disjunction<std::false_type, std::is_void<int>>::value,
               std::negation<std::true_type>::value, std::integral_constant<int, 5>() + 1,
               std::is_constant_evaluated());
}

#endif
