// SPDX-License-Identifier: Apache-2.0
// Exceptions, which classes are derived from: device code throws none. The toolkit's headers make some, in functions that
// no device code calls.
#ifndef CUBINET_STD_EXCEPTIONS_H
#define CUBINET_STD_EXCEPTIONS_H

namespace std
{

class exception
{
  public:
    __host__ __device__ const char *what() const noexcept
    {
        return "exception";
    }

  private:
    void *__table;
};

#define _CUBINET_EXCEPTION(name, base)                                                                       \
    class name : public base                                                                                 \
    {                                                                                                        \
      public:                                                                                                \
        name() = default;                                                                                    \
        template <class... _Any> __host__ __device__ explicit name(const _Any &...)                          \
        {                                                                                                    \
        }                                                                                                    \
    };

class __exception_text : public exception
{
    void *__text;
};
_CUBINET_EXCEPTION(runtime_error, __exception_text)

} // namespace std

#endif
