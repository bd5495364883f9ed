/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Archives in C++: open them, and iterate over their contents. Nothing here needs a GPU or a driver.
 *
 * @code{.cpp}
 * const auto archive = cubinet::archive::open("kernels.cubinet");
 * for (const auto module : archive.modules()) {
 *     for (const auto kernel : module.kernels()) {
 *         std::puts(kernel.info().expression);
 *     }
 * }
 * @endcode
 *
 * An open archive never changes, so any number of threads may use it, its views and its entries. Views,
 * entries, strings and arrays live until the archive is closed. Functions fail as the C functions of the same
 * names do (<cubinet/archive.h>).
 */
#ifndef CUBINET_ARCHIVE_HPP
#define CUBINET_ARCHIVE_HPP

#include <cubinet/handle.hpp>
#include <cubinet/launch_record.h>
#include <cubinet/select.h>
#include <cubinet/status.hpp>
#include <cubinet/tuning.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace cubinet
{

/** @since 0.1 */
using archive_options = sized<cubinet_archive_options>;
using archive_info = sized<cubinet_archive_info>;
using module_info = sized<cubinet_module_info>;
using image_info = sized<cubinet_image_info>;
using part_info = sized<cubinet_part_info>;
using image_origin = sized<cubinet_origin>;
using kernel_info = sized<cubinet_kernel_info>;
using symbol_info = sized<cubinet_symbol_info>;
using global_info = sized<cubinet_global_info>;
using device_profile = sized<cubinet_device_profile>;
using policy = sized<cubinet_policy>;

/** What a kernel needs.
 * @since 0.1 */
struct kernel_resources : sized<cubinet_kernel_resources> {
    /** The parameters, in order; empty if they are not known (`param_count` of CUBINET_UNKNOWN). */
    span<const cubinet_param> parameters() const noexcept
    {
        return {params, params ? param_count : 0};
    }
};

/** How a kernel is launched, as far as that is recorded.
 * @since 0.1 */
struct launch_record : sized<cubinet_launch_record> {
    /** The parameters that callers leave out. */
    span<const cubinet_hidden_param> hidden_parameters() const noexcept
    {
        return {hidden, hidden_count};
    }

    /** The parameters' names in the source, including hidden ones; empty if they are not recorded. */
    span<const cubinet_param_name> parameter_names() const noexcept
    {
        return {param_names, param_name_count};
    }
};

/** A launch configuration that was measured.
 * @since 0.1 */
struct tuning : sized<cubinet_tuning> {
    /** Lowered names of the kernels that were candidates. */
    span<const char *const> instance_names() const noexcept
    {
        return {instances, instance_count};
    }

    /** The module does not have the image that was measured. */
    bool is_void() const noexcept
    {
        return image == CUBINET_UNKNOWN;
    }
};

namespace detail
{

/* A numbered part of an archive or of one of its modules. */
class entry
{
  public:
    entry() noexcept = default;

    entry(const cubinet_archive *archive, std::uint32_t module, std::uint32_t number) noexcept
        : archive_(archive), module_(module), number_(number)
    {
    }

    /** Its number among those of its kind, from 0, as C functions take it. */
    std::uint32_t number() const noexcept
    {
        return number_;
    }

  protected:
    template <class Entry> static Entry moved(const Entry &from, std::ptrdiff_t distance) noexcept
    {
        Entry to = from;
        to.number_ = static_cast<std::uint32_t>(std::ptrdiff_t{to.number_} + distance);
        return to;
    }

    const cubinet_archive *archive_ = nullptr;
    std::uint32_t module_ = 0;
    std::uint32_t number_ = 0;
};

} // namespace detail

inline namespace CUBINET_ERRORS_NAMESPACE
{

/** A kernel in an archive; one to launch is a cubinet::kernel.
 * @since 0.1 */
class kernel_entry : public detail::entry
{
  public:
    using entry::entry;

    returns<kernel_info> info() const
    {
        return calls::read<kernel_info>(cubinet_archive_get_kernel, archive_, module_, number_);
    }

  private:
    friend entries<kernel_entry>;

    kernel_entry moved(std::ptrdiff_t distance) const noexcept
    {
        return entry::moved(*this, distance);
    }
};

/** A variable that the host can name, in an archive.
 * @since 0.1 */
class global_entry : public detail::entry
{
  public:
    using entry::entry;

    returns<global_info> info() const
    {
        return calls::read<global_info>(cubinet_archive_get_global, archive_, module_, number_);
    }

  private:
    friend entries<global_entry>;

    global_entry moved(std::ptrdiff_t distance) const noexcept
    {
        return entry::moved(*this, distance);
    }
};

/** An image of a module.
 * @since 0.1 */
class image_entry : public detail::entry
{
  public:
    using entry::entry;

    returns<image_info> info() const
    {
        return calls::read<image_info>(cubinet_archive_get_image, archive_, module_, number_);
    }

    /** Its origin; CUBINET_ERROR_NOT_FOUND if that is not recorded. */
    returns<image_origin> origin() const
    {
        return calls::read<image_origin>(cubinet_archive_get_origin, archive_, module_, number_);
    }

    /** What a kernel of the same module needs in this image. */
    returns<kernel_resources> resources(const kernel_entry &kernel) const
    {
        return calls::read<kernel_resources>(cubinet_archive_get_resources, archive_, module_, number_,
                                             kernel.number());
    }

    /** How a kernel of the same module is launched, as recorded for this image. */
    returns<cubinet::launch_record> launch_record(const kernel_entry &kernel) const
    {
        cubinet::launch_record out;
        const cubinet_status status =
            cubinet_archive_get_launch_record(archive_, module_, number_, kernel.number(), &out);
        return calls::answer(status, out);
    }

    /** One of its parts, of which info() says how many there are; 0 is the image if it has no others. */
    returns<part_info> part(std::uint32_t number) const
    {
        return calls::read<part_info>(cubinet_archive_get_part, archive_, module_, number_, number);
    }

    /** The part that has a kernel of the same module. */
    returns<std::uint32_t> find_part(const kernel_entry &kernel) const
    {
        std::uint32_t out = 0;
        const cubinet_status status =
            cubinet_archive_find_part(archive_, module_, number_, kernel.number(), &out);
        return calls::answer(status, out);
    }

    /** Reads a part's bytes as read() does those of an image that consists of no others. */
    returns<void> read_part(std::uint32_t number, void *buffer, std::size_t capacity) const
    {
        return calls::answer(cubinet_archive_read_part(archive_, module_, number_, number, buffer, capacity));
    }

    /** A symbol that it defines or needs: info() says how many there are. */
    returns<symbol_info> symbol(std::uint32_t number) const
    {
        return calls::read<symbol_info>(cubinet_archive_get_symbol, archive_, module_, number_, number);
    }

    /** The digest that tuning records have of it, or of one of its parts. @see
     * cubinet_archive_get_code_digest() */
    returns<std::array<std::uint8_t, 16>> code_digest(std::uint32_t part = 0) const
    {
        std::array<std::uint8_t, 16> out{};
        const cubinet_status status =
            cubinet_archive_get_code_digest(archive_, module_, number_, part, out.data());
        return calls::answer(status, out);
    }

    /** Reads its bytes into the caller's memory, of at least its `raw_size`: digest checked, decompressed. */
    returns<void> read(void *buffer, std::size_t capacity) const
    {
        return calls::answer(cubinet_archive_read_image(archive_, module_, number_, buffer, capacity));
    }

  private:
    friend entries<image_entry>;

    image_entry moved(std::ptrdiff_t distance) const noexcept
    {
        return entry::moved(*this, distance);
    }
};

/** A tuning record of a module.
 * @since 0.1 */
class tuning_entry : public detail::entry
{
  public:
    using entry::entry;

    returns<tuning> info() const
    {
        tuning out;
        const cubinet_status status = cubinet_archive_get_tuning(archive_, module_, number_, &out);
        return calls::answer(status, out);
    }

  private:
    friend entries<tuning_entry>;

    tuning_entry moved(std::ptrdiff_t distance) const noexcept
    {
        return entry::moved(*this, distance);
    }
};

/** A module in an archive; one that is loaded is a cubinet::module.
 * @since 0.1 */
class module_entry : public detail::entry
{
  public:
    module_entry() noexcept = default;

    module_entry(const cubinet_archive *archive, std::uint32_t number) noexcept
        : entry(archive, number, number)
    {
    }

    returns<module_info> info() const
    {
        return calls::read<module_info>(cubinet_archive_get_module, archive_, number_);
    }

    returns<entries<image_entry>> images() const
    {
        return all<image_entry>(&cubinet_module_info::image_count);
    }

    returns<entries<kernel_entry>> kernels() const
    {
        return all<kernel_entry>(&cubinet_module_info::kernel_count);
    }

    returns<entries<global_entry>> globals() const
    {
        return all<global_entry>(&cubinet_module_info::global_count);
    }

    /** Its tuning records, those that are void too. */
    returns<entries<tuning_entry>> tunings() const
    {
        std::uint32_t count = 0;
        const cubinet_status status = cubinet_archive_get_tuning_count(archive_, number_, &count);
        return calls::answer(status, entries<tuning_entry>(tuning_entry(archive_, number_, 0), count));
    }

    /** Finds a kernel by expression, lowered name or plain name. */
    returns<kernel_entry> find_kernel(text expression_or_name) const
    {
        std::uint32_t found = 0;
        const cubinet_status status =
            cubinet_archive_find_kernel(archive_, number_, expression_or_name.c_str(), &found);
        return calls::answer(status, kernel_entry(archive_, number_, found));
    }

    returns<global_entry> find_global(text expression_or_name) const
    {
        std::uint32_t found = 0;
        const cubinet_status status =
            cubinet_archive_find_global(archive_, number_, expression_or_name.c_str(), &found);
        return calls::answer(status, global_entry(archive_, number_, found));
    }

    /** Chooses the image for such a device. */
    returns<image_entry> select_image(const cubinet_device_profile &device,
                                      const cubinet_policy *policy = nullptr) const
    {
        std::uint32_t found = 0;
        const cubinet_status status =
            cubinet_archive_select_image(archive_, number_, &device, policy, &found);
        return calls::answer(status, image_entry(archive_, number_, found));
    }

  private:
    friend entries<module_entry>;

    module_entry moved(std::ptrdiff_t distance) const noexcept
    {
        const module_entry to = entry::moved(*this, distance);
        return module_entry(to.archive_, to.number_);
    }

    template <class Entry> returns<entries<Entry>> all(std::uint32_t cubinet_module_info::*count) const
    {
        module_info about;
        const cubinet_status status = cubinet_archive_get_module(archive_, number_, &about);
        return calls::answer(status, entries<Entry>(Entry(archive_, number_, 0), about.*count));
    }
};

/** The functions of every archive, whoever closes it.
 * @since 0.1 */
template <class Archive> class archive_functions
{
  public:
    returns<archive_info> info() const
    {
        return calls::read<archive_info>(cubinet_archive_get_info, handle());
    }

    /** The number of a key that signed it, from 0 to `signature_count` - 1. */
    returns<std::array<std::uint8_t, 8>> signer(std::uint32_t signature) const
    {
        std::array<std::uint8_t, 8> out{};
        const cubinet_status status = cubinet_archive_get_signer(handle(), signature, out.data());
        return calls::answer(status, out);
    }

    /** Key and value of a property, from 0 to `property_count` - 1. */
    returns<std::pair<const char *, const char *>> property(std::uint32_t number) const
    {
        std::pair<const char *, const char *> out;
        const cubinet_status status = cubinet_archive_get_property(handle(), number, &out.first, &out.second);
        return calls::answer(status, out);
    }

    /** The value of a property. */
    returns<const char *> find_property(text key) const
    {
        const char *out = nullptr;
        const cubinet_status status = cubinet_archive_find_property(handle(), key.c_str(), &out);
        return calls::answer(status, out);
    }

    entries<module_entry> modules() const &noexcept
    {
        return {module_entry(handle(), 0), cubinet_archive_get_module_count(handle())};
    }

    entries<module_entry> modules() const &&noexcept
    {
        stays();
        return modules();
    }

    returns<module_entry> find_module(text name) const &
    {
        std::uint32_t found = 0;
        const cubinet_status status = cubinet_archive_find_module(handle(), name.c_str(), &found);
        return calls::answer(status, module_entry(handle(), found));
    }

    returns<module_entry> find_module(text name) const &&
    {
        stays();
        return find_module(name);
    }

  private:
    static void stays() noexcept
    {
        static_assert(!std::is_base_of_v<owner<cubinet_archive, cubinet_archive_close>, Archive>,
                      "this archive is closed before its modules are looked at: keep it in a variable");
    }

    const cubinet_archive *handle() const noexcept
    {
        return static_cast<const Archive &>(*this).get();
    }
};

/**
 * An archive that somebody else closes, for functions that read one. A cubinet::archive is one, too.
 * @since 0.1
 */
class archive_view : public archive_functions<archive_view>
{
  public:
    archive_view() noexcept = default;

    archive_view(const cubinet_archive *handle) noexcept : handle_(handle)
    {
    }

    /** For C functions. */
    const cubinet_archive *get() const noexcept
    {
        return handle_;
    }

    explicit operator bool() const noexcept
    {
        return handle_ != nullptr;
    }

  private:
    const cubinet_archive *handle_ = nullptr;
};

/**
 * An open archive. The destructor closes it; modules loaded from it stay.
 * @since 0.1
 */
class archive : public owner<cubinet_archive, cubinet_archive_close>, public archive_functions<archive>
{
  public:
    using owner::owner;

    /** Opens a file; the error's message says what is wrong with it. @see cubinet_archive_open() */
    static returns<archive> open(text path, const cubinet_archive_options *options = nullptr)
    {
        return calls::make<archive>(cubinet_archive_open, path.c_str(), options);
    }

    /** Opens a file by its place relative to the program. @see cubinet_archive_open_near() */
    static returns<archive> open_near(const void *address, text paths,
                                      const cubinet_archive_options *options = nullptr)
    {
        return calls::make<archive>(cubinet_archive_open_near, address, paths.c_str(), options);
    }

    /** Opens an archive in memory, which the caller keeps until the archive is closed. @see
     * cubinet_archive_open_memory() */
    static returns<archive> open_memory(const void *data, std::size_t size,
                                        const cubinet_archive_options *options = nullptr)
    {
        return calls::make<archive>(cubinet_archive_open_memory, data, size, options);
    }

    /** Valid until this archive is closed, wherever this object is moved. */
    operator archive_view() const noexcept
    {
        return get();
    }
};

} // namespace CUBINET_ERRORS_NAMESPACE
} // namespace cubinet

#endif
