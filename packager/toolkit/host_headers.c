/* SPDX-License-Identifier: Apache-2.0 */
#include "toolkit/host_headers.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Headers for host code, each list with what to use in place of them, and what they declare: of std, and C's
 * functions. They are those in host_only/. */
static const struct {
    const char *instead;
    const char *headers; /* separated by spaces, one before the first and after the last */
    const char *names;   /* as these, or NULL */
} hosts[] = {
    {.instead = "printf() of <cstdio> prints from device code",
     .headers = " format fstream iomanip ios iosfwd iostream istream ostream print spanstream sstream "
                "streambuf strstream syncstream ",
     .names = " basic_filebuf basic_fstream basic_ifstream basic_ios basic_iostream basic_istream "
              "basic_istringstream basic_ofstream basic_ostream basic_ostringstream basic_streambuf "
              "basic_stringbuf basic_stringstream cerr cin clog cout endl fclose fflush fgets filebuf "
              "fopen fprintf fputs fread fscanf fstream fwrite ifstream ios ios_base iostream istream "
              "istringstream ofstream ostream ostringstream putchar puts snprintf sprintf sscanf streambuf "
              "stringbuf stringstream vfprintf "},
    {.instead = "use an array of fixed size (<array>), or memory that the host allocates (<span>)",
     .headers = " deque flat_map flat_set forward_list hash_map list map queue set stack unordered_map "
                "unordered_set valarray vector ",
     .names = " deque forward_list list map multimap multiset priority_queue queue set stack unordered_map "
              "unordered_multimap unordered_multiset unordered_set valarray vector "},
    {.instead = "use arrays of characters and <cstring>",
     .headers = " charconv clocale codecvt cuchar cwchar cwctype locale locale.h regex string string_view "
                "strings.h uchar.h wchar.h wctype.h ",
     .names = " basic_regex basic_string regex string to_string wstring "},
    {.instead = "use __syncthreads(), <atomic>, <cooperative_groups.h> or <cuda/barrier>",
     .headers = " barrier condition_variable execution future latch mutex omp.h pthread.h sched.h semaphore "
                "semaphore.h shared_mutex stop_token thread ",
     .names = " condition_variable future lock_guard mutex once_flag promise recursive_mutex shared_lock "
              "shared_mutex thread timed_mutex unique_lock "},
    {.instead = "use <curand_kernel.h>",
     .headers = " random ",
     .names = " default_random_engine drand48 mersenne_twister_engine mt19937 normal_distribution rand "
              "random random_device uniform_int_distribution uniform_real_distribution "},
    {.instead = "there are no exceptions and signals on a GPU; let functions return what went wrong",
     .headers = " cerrno csetjmp csignal errno.h exception setjmp.h signal.h stdexcept system_error ",
     .names = " current_exception exception_ptr terminate "},
    {.instead = "types are not known at run time on a GPU; use <variant>",
     .headers = " any typeindex typeinfo ",
     .names = " any type_index type_info "},
    {.instead = "files, processes and the time of day are the host's",
     .headers =
         " arpa/inet.h byteswap.h cxxabi.h dirent.h dlfcn.h endian.h execinfo.h fcntl.h features.h "
         "filesystem fnmatch.h ftw.h getopt.h glob.h ifaddrs.h libgen.h libintl.h link.h netdb.h "
         "netinet/in.h netinet/tcp.h poll.h pwd.h sys/cdefs.h sys/epoll.h sys/file.h sys/ioctl.h "
         "sys/ipc.h sys/mman.h sys/param.h sys/prctl.h sys/resource.h sys/select.h sys/shm.h "
         "sys/socket.h sys/stat.h sys/statvfs.h sys/syscall.h sys/sysinfo.h sys/time.h sys/times.h "
         "sys/types.h sys/uio.h sys/un.h sys/utsname.h sys/wait.h syslog.h termios.h unistd.h utime.h ",
     .names = " exit filesystem getenv gettimeofday system time usleep "},
    {.instead = "use CUDA's own functions for small vectors",
     .headers = " arm_neon.h emmintrin.h immintrin.h pmmintrin.h smmintrin.h tmmintrin.h x86intrin.h "
                "xmmintrin.h "},
    {.instead = "libcu++ has it in cuda::std: include <cuda/std/…> of that name",
     .headers = " bitset compare expected mdspan ranges source_location "},
    {.instead = "memory comes from malloc(), new, or the host",
     .headers = " malloc.h memory_resource scoped_allocator ",
     .names = " allocate_shared enable_shared_from_this make_shared pmr realloc shared_ptr weak_ptr "},
    {.instead = "there is no rounding mode and none of its functions on a GPU; use __fadd_rz() and its "
                "sisters",
     .headers = " cfenv fenv.h "},
    {.instead = "functions for the device have no variable arguments; use a template",
     .headers = " cstdarg stdarg.h varargs.h "},
    {.instead = "it is only for the host", .headers = " coroutine debugging generator stacktrace "},
    {.instead = "device code takes pointers to what they hold, or <span>; thrust's algorithms and iterators "
                "do, too",
     .headers = " thrust/allocate_unique.h thrust/async/copy.h thrust/async/for_each.h thrust/async/reduce.h "
                "thrust/async/scan.h thrust/async/sort.h thrust/async/transform.h thrust/device_allocator.h "
                "thrust/device_delete.h thrust/device_free.h thrust/device_make_unique.h "
                "thrust/device_malloc.h thrust/device_malloc_allocator.h thrust/device_new.h "
                "thrust/device_new_allocator.h thrust/device_vector.h thrust/event.h thrust/future.h "
                "thrust/host_vector.h thrust/per_device_resource.h thrust/system/cuda/error.h "
                "thrust/system/cuda/execution_policy.h thrust/system/cuda/memory.h "
                "thrust/system/cuda/vector.h thrust/system_error.h thrust/universal_allocator.h "
                "thrust/universal_vector.h "},
    {.instead = "the host calls this library; kernels have <cuComplex.h>, <curand_kernel.h>, <mma.h> and "
                "CUB's parts",
     .headers = " cublas.h cublasLt.h cublasXt.h cublas_api.h cublas_v2.h cudnn.h cudnn_v8.h cudss.h cufft.h "
                "cufftXt.h cufftw.h cusolverDn.h cusolverMg.h cusolverRf.h cusolverSp.h "
                "cusolverSp_LOWLEVEL_PREVIEW.h cusolver_common.h cusparse.h cusparseLt.h cusparse_v2.h "
                "cutensor.h npp.h nppcore.h nppdefs.h nppi.h npps.h nvgraph.h nvjpeg.h "},
    {.instead = "the host calls it between kernels", .headers = " mpi.h nccl.h shmem.h "},
    {.instead = "the host calls it; kernels have clock64() and %globaltimer",
     .headers =
         " cudaProfiler.h cuda_profiler_api.h cupti.h nvToolsExt.h nvToolsExtCuda.h nvToolsExtCudaRt.h "
         "nvml.h nvtx3/nvToolsExt.h nvtx3/nvToolsExtCuda.h nvtx3/nvToolsExtCudaRt.h nvtx3/nvtx3.hpp "},
    {.instead = "the host compiles, links and loads",
     .headers = " nvFatbin.h nvJitLink.h nvPTXCompiler.h nvrtc.h "},
    {.instead = "the host makes textures and maps buffers; kernels take cudaTextureObject_t and pointers",
     .headers =
         " EGL/egl.h EGL/eglext.h GL/freeglut.h GL/gl.h GL/glew.h GL/glext.h GL/glu.h GL/glut.h "
         "GL/glx.h GL/wglew.h GLFW/glfw3.h GLUT/glut.h channel_descriptor.h cudaEGL.h cudaGL.h "
         "cuda_egl_interop.h cuda_gl_interop.h cuda_vdpau_interop.h driver_functions.h vdpau/vdpau.h "},
    {.instead = "std::function calls code that the host made; give the kernel a function object, as a "
                "template's argument",
     .headers = " ",
     .names = " function "},
};

/* Where the shipped headers for host code lie. */
static const char shipped[] = "host_only/";

static bool has_word(const char *words, const char *name, size_t size)
{
    for (const char *found = words; (found = memmem(found, strlen(found), name, size)); found++) {
        if (found[-1] == ' ' && found[size] == ' ') {
            return true;
        }
    }
    return false;
}

const char *host_headers_instead(const char *name)
{
    for (size_t i = 0; *name && i < sizeof(hosts) / sizeof(hosts[0]); i++) {
        if (has_word(hosts[i].headers, name, strlen(name))) {
            return hosts[i].instead;
        }
    }
    return NULL;
}

bool host_headers_declare(const char *name, size_t size)
{
    bool found = false;
    for (size_t i = 0; size > 0 && i < sizeof(hosts) / sizeof(hosts[0]); i++) {
        found |= hosts[i].names && has_word(hosts[i].names, name, size);
    }
    return found;
}

struct name {
    const char *text;
    size_t size;
    bool is_function; /* of C's: there is no std:: before it */
};

static const char *instead_of(const struct name *name)
{
    for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
        if (hosts[i].names && has_word(hosts[i].names, name->text, name->size)) {
            return hosts[i].instead;
        }
    }
    return NULL;
}

static size_t identifier_size(const char *text)
{
    size_t size = 0;
    while (isalnum((unsigned char)text[size]) || text[size] == '_') {
        size++;
    }
    return size;
}

/* The next of the host's names in a message, up to its end: std::NAME, or that of a function that is none. */
static bool next_name(const char **at, const char *end, struct name *out_name)
{
    static const char space[] = "std::";
    static const char function[] = "function \"";
    while (*at < end) {
        const char *text = *at;
        bool is_std = strncmp(text, space, strlen(space)) == 0;
        bool is_function = !is_std && strncmp(text, function, strlen(function)) == 0;
        size_t before = is_std ? strlen(space) : is_function ? strlen(function) : 0;
        *at += before + !before;
        if (before) {
            *out_name = (struct name){text + before, identifier_size(text + before), is_function};
            if (out_name->size > 0 && (is_std || text[before + out_name->size] == '(') &&
                instead_of(out_name)) {
                return true;
            }
        }
    }
    return false;
}

/* "basic_ostream" is "ostream" to those who use it. */
static struct name known_as(struct name name)
{
    static const char basic[] = "basic_";
    if (strncmp(name.text, basic, strlen(basic)) == 0) {
        name.text += strlen(basic);
        name.size -= strlen(basic);
    }
    return name;
}

/* A message and the lines after it end where the next one starts: a line that is not indented. */
static const char *end_of_message(const char *at)
{
    do {
        at = strchrnul(at, '\n');
        at += *at == '\n';
    } while (*at == ' ');
    return at;
}

static void append_without_places(const char *at, const char *end, struct buffer *text)
{
    static const char declared[] = " (declared at line ";
    while (at < end) {
        const char *found = memmem(at, (size_t)(end - at), declared, strlen(declared));
        const char *close = found ? memchr(found, ')', (size_t)(end - found)) : NULL;
        if (!close) {
            break;
        }
        bool is_shipped = memmem(found, (size_t)(close - found), shipped, strlen(shipped)) != NULL;
        buffer_append(text, at, (size_t)((is_shipped ? found : close + 1) - at));
        at = close + 1;
    }
    buffer_append(text, at, (size_t)(end - at));
}

/* `place`: path and line of the message, as in "a.cu:3: ". */
static void explain(const char *place, size_t place_size, struct name name, struct buffer *text)
{
    struct name known = known_as(name);
    char note[256];
    snprintf(note, sizeof(note),
             "note: %s%.*s%s is for host code: ", name.is_function ? "" : "std::", (int)known.size,
             known.text, name.is_function ? "()" : "");
    if (!strstr(text->data, note)) {
        buffer_printf(text, "%.*s%s%s\n", (int)place_size, place, note, instead_of(&name));
    }
}

/* Where what is said ends, and the line of the source is shown. */
static const char *end_of_said(const char *message, const char *end)
{
    static const char more[] = "            "; /* which lines that say more start with */
    const char *at = message;
    do {
        at = strchrnul(at, '\n');
        at += *at == '\n';
    } while (at < end && strncmp(at, more, strlen(more)) == 0 && at[strlen(more)] != ' ');
    return at;
}

static void say_one(const char *message, const char *end, struct buffer *text)
{
    static const char error[] = "error: ";
    append_without_places(message, end, text);
    const char *said_end = end_of_said(message, end);
    const char *kind = memmem(message, (size_t)(said_end - message), error, strlen(error));
    struct name name;
    for (const char *at = kind; at && next_name(&at, said_end, &name);) {
        explain(message, (size_t)(kind - message), name, text);
    }
}

/* Whether a message is a note on what is in a shipped header: why it does not fit, which it never does. */
static bool is_note_on_shipped(const char *message)
{
    static const char folder[] = "/device_headers/";
    static const char note[] = ": note: ";
    size_t size = strcspn(message, "\n");
    const char *kind = memmem(message, size, note, strlen(note));
    return kind && memmem(message, (size_t)(kind - message), folder, strlen(folder));
}

void host_headers_say(const char *messages, struct buffer *text)
{
    while (*messages && !text->failed) {
        const char *end = end_of_message(messages);
        if (!is_note_on_shipped(messages)) {
            say_one(messages, end, text);
        }
        messages = end;
    }
}
