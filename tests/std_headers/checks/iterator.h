/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_ITERATOR_H
#define CHECK_ITERATOR_H

#include <iterator>

__device__ __noinline__ inline void check_iterator(check_values &out)
{
    int data[] = {1, 2, 3, 4, 5};
    auto reversed = std::make_reverse_iterator(std::end(data));
    CHECK_SHOW(*reversed, reversed[2], *(reversed + 1), std::rend(data) - std::rbegin(data),
               *std::next(data, 3), *std::prev(std::end(data)), std::distance(data, data + 4),
               std::size(data), std::ssize(data), std::empty(data));
    int *at = data;
    std::advance(at, 2);
    CHECK_SHOW(
        *at, reversed < std::rend(data), *std::crbegin(data), *std::cbegin(data),
        *std::make_move_iterator(at), std::is_same<std::iterator_traits<const int *>::value_type, int>::value,
        std::is_base_of<std::forward_iterator_tag, std::iterator_traits<int *>::iterator_category>::value);
    int sum = 0;
    for (auto i = std::rbegin(data); i != std::rend(data); ++i) {
        sum = sum * 10 + *i;
    }
    std::initializer_list<int> list = {7, 8, 9};
    CHECK_SHOW(sum, std::data(list)[1], list.size(), *(std::end(list) - 1));
}

#endif
