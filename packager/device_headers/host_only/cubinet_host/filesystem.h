// SPDX-License-Identifier: Apache-2.0
// std::filesystem.
#if !defined(CUBINET_HOST_FILESYSTEM_H) && __cplusplus >= 201402L
#define CUBINET_HOST_FILESYSTEM_H

#include "cubinet_host/streams.h"
#include <chrono>

namespace std
{
namespace filesystem
{

class path
{
    _CUBINET_HOST_ONLY(path)
    using value_type = char;
    using string_type = string;
    using iterator = __cubinet_host::__iterator<path, 3, path>;
    using const_iterator = iterator;
    static constexpr char preferred_separator = '/';
    _CUBINET_HOST_WORDS(5)
};
_CUBINET_HOST_CLASS(directory_entry, 6)
_CUBINET_HOST_CLASS(directory_iterator, 2)
_CUBINET_HOST_CLASS(recursive_directory_iterator, 2)
_CUBINET_HOST_CLASS(file_status, 1)
struct space_info {
    unsigned long capacity;
    unsigned long free;
    unsigned long available;
};
enum class file_type : signed char { none, not_found = -1, regular = 1, directory, symlink, block, character, fifo,
                                     socket, unknown };
enum class copy_options : unsigned short { none, skip_existing, overwrite_existing, update_existing = 4, recursive = 8 };
using file_time_type = chrono::time_point<chrono::system_clock>;

class filesystem_error : public system_error
{
  public:
    using system_error::system_error;

  private:
    void *__more[2];
};

_CUBINET_HOST_FUNCTION(absolute)
_CUBINET_HOST_FUNCTION(canonical)
_CUBINET_HOST_FUNCTION(copy)
_CUBINET_HOST_FUNCTION(copy_file)
_CUBINET_HOST_FUNCTION(create_directories)
_CUBINET_HOST_FUNCTION(create_directory)
_CUBINET_HOST_FUNCTION(current_path)
_CUBINET_HOST_FUNCTION(exists)
_CUBINET_HOST_FUNCTION(file_size)
_CUBINET_HOST_FUNCTION(is_directory)
_CUBINET_HOST_FUNCTION(is_regular_file)
_CUBINET_HOST_FUNCTION(last_write_time)
_CUBINET_HOST_FUNCTION(remove)
_CUBINET_HOST_FUNCTION(remove_all)
_CUBINET_HOST_FUNCTION(rename)
_CUBINET_HOST_FUNCTION(temp_directory_path)
_CUBINET_HOST_FUNCTION(weakly_canonical)

} // namespace filesystem
} // namespace std

#endif
