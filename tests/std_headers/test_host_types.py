#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The types of the headers for host code: they have the host's sizes, can be named in every declaration that keeps its place
beside device code, and can't be used by device code.

    test_host_types.py COMMAND TOOLKIT CXX
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

COMMAND, TOOLKIT, CXX = sys.argv[1:4]
del sys.argv[1:4]

# What is included for them, and types. libstdc++'s and glibc's sizes are asked for, on 64-bit Linux.
TYPES = {
    "string string_view": "string wstring u16string string_view string::iterator",
    "vector": "vector<int> vector<bool> vector<string> vector<int>::iterator vector<bool>::iterator vector<vector<float>>",
    "deque list forward_list stack queue":
        "deque<int> list<int> forward_list<int> stack<int> queue<int> priority_queue<int> deque<int>::iterator "
        "list<int>::iterator",
    "map set": "map<int,int> multimap<string,int> set<int> multiset<int> map<int,int>::iterator map<int,int>::value_type",
    "unordered_map unordered_set":
        "unordered_map<int,int> unordered_map<string,int> unordered_set<int> unordered_multimap<int,int> "
        "unordered_map<int,int>::iterator",
    "memory functional":
        "shared_ptr<int> weak_ptr<int> unique_ptr<int> enable_shared_from_this<int> function<void()> function<int(int,float)> "
        "reference_wrapper<int>",
    "iterator": "back_insert_iterator<vector<int>> insert_iterator<vector<int>>",
    "iostream fstream sstream iomanip":
        "ios_base ios ostream istream iostream ofstream ifstream fstream stringstream ostringstream istringstream streambuf "
        "filebuf stringbuf streampos streamsize locale istream_iterator<int> ostream_iterator<int> istreambuf_iterator<char> "
        "ios_base::failure",
    "thread mutex shared_mutex condition_variable future":
        "mutex recursive_mutex timed_mutex recursive_timed_mutex shared_mutex shared_timed_mutex thread thread::id "
        "condition_variable condition_variable_any lock_guard<mutex> unique_lock<mutex> scoped_lock<mutex,mutex> "
        "shared_lock<shared_mutex> once_flag future<int> future<void> shared_future<int> promise<int> packaged_task<int()>",
    "barrier latch semaphore stop_token":
        "barrier<> latch counting_semaphore<1> binary_semaphore stop_token stop_source jthread",
    "exception stdexcept system_error new":
        "exception runtime_error logic_error invalid_argument out_of_range system_error error_code error_condition "
        "exception_ptr bad_alloc",
    "any bitset valarray typeindex": "std::any bitset<10> bitset<70> valarray<float> type_index",
    "filesystem": "filesystem::path filesystem::directory_entry filesystem::directory_iterator filesystem::file_time_type",
    "random":
        "mt19937 mt19937_64 minstd_rand default_random_engine random_device ranlux24_base ranlux48_base ranlux24 ranlux48 "
        "knuth_b seed_seq uniform_int_distribution<int> uniform_real_distribution<float> normal_distribution<float> "
        "normal_distribution<double> lognormal_distribution<float> bernoulli_distribution discrete_distribution<int> "
        "exponential_distribution<> poisson_distribution<> geometric_distribution<> gamma_distribution<> "
        "cauchy_distribution<> binomial_distribution<> negative_binomial_distribution<> weibull_distribution<> "
        "chi_squared_distribution<> student_t_distribution<> fisher_f_distribution<> extreme_value_distribution<> "
        "piecewise_linear_distribution<> piecewise_constant_distribution<>",
    "regex": "regex smatch cmatch sub_match<const_char_pointer> cregex_iterator cregex_token_iterator",
    "memory_resource": "pmr::memory_resource pmr::monotonic_buffer_resource pmr::polymorphic_allocator<int> "
                       "vector<int,pmr::polymorphic_allocator<int>>",
    "stdio.h time.h wchar.h locale.h fenv.h setjmp.h signal.h":
        "::FILE ::fpos_t ::time_t ::tm ::timespec ::clockid_t ::timer_t ::mbstate_t ::wint_t ::wctype_t ::lconv ::fenv_t "
        "::fexcept_t ::jmp_buf ::sigset_t ::siginfo_t ::sig_atomic_t ::stack_t ::sigval",
    "pthread.h semaphore.h sched.h":
        "::pthread_t ::pthread_mutex_t ::pthread_cond_t ::pthread_attr_t ::pthread_rwlock_t ::pthread_barrier_t "
        "::pthread_spinlock_t ::pthread_key_t ::pthread_once_t ::pthread_mutexattr_t ::pthread_condattr_t "
        "::pthread_barrierattr_t ::pthread_rwlockattr_t ::sem_t ::cpu_set_t ::sched_param",
    "sys/types.h sys/stat.h sys/time.h sys/resource.h sys/uio.h sys/socket.h sys/select.h dirent.h unistd.h poll.h":
        "struct_stat ::timeval struct_timezone ::rusage ::rlimit ::dirent ::iovec ::sockaddr ::pollfd ::fd_set ::mode_t ::off_t "
        "::pid_t ::uid_t ::gid_t ::ssize_t ::dev_t ::ino_t ::nlink_t ::blksize_t ::blkcnt_t ::useconds_t ::suseconds_t "
        "::socklen_t ::id_t ::key_t ::caddr_t",
}
ALIASES = {"const_char_pointer": "const char *", "struct_stat": "struct stat", "struct_timezone": "struct timezone"}

# What is left of a file when its host code is gone.
DECLARATIONS = """
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>
using std::cout; using std::cerr; using std::endl; using std::setw; using std::sort; using std::make_shared; using std::getline;
using std::string; using std::to_string; using std::fprintf; using std::FILE; using std::time_t;
using namespace std;
using Clock = std::chrono::steady_clock;
typedef std::vector<float> floats;
typedef std::function<void(const std::string &, int)> callback;
using Table = std::unordered_map<std::string, std::shared_ptr<floats>>;
typedef std::map<std::string, floats>::const_iterator entry;
struct Key { int a, b; bool operator==(const Key &) const = default; };
namespace std { template <> struct hash<Key> { __device__ size_t operator()(const Key &k) const { return k.a ^ k.b; } }; }
struct Options {
    std::string name; std::vector<int> sizes; std::pair<std::string, int> named; std::tuple<std::string, floats> both;
    std::optional<std::string> maybe; std::variant<int, std::string> either; callback call; mutable std::mutex lock;
    std::unique_ptr<std::vector<int>> owned; std::ofstream log; FILE *file = nullptr; Table table; std::thread worker;
    std::vector<std::pair<std::string, Options *>> children; std::mt19937_64 engine; Clock::time_point start;
    cudaStream_t stream; cudaEvent_t done; cudaDeviceProp properties; dim3 grid; cudaError_t last;
    std::unordered_map<Key, int> keys; std::size_t size = std::string::npos;
    __host__ __device__ int twice(int x) const { return 2 * x + (int)sizeof(name); }
};
class Failure : public std::runtime_error {};
class Buffer : public std::stringbuf {};
template <class T> class Matrix { std::vector<T> rows; std::shared_ptr<Matrix> next; public: T *data; };
template <class T, class A = std::allocator<T>> using list_of = std::vector<T, A>;
template <class T> struct is_vector : std::false_type {};
template <class T> struct is_vector<std::vector<T>> : std::true_type {};
template <> struct is_vector<std::string> : std::false_type {};
enum class Mode { fast = std::ios::binary };
constexpr std::string_view names[] = {"sum", "product"};
__device__ int with(const std::string &text, std::ostream *out, Options *options) { return options->twice(1); }
__global__ void k(int *p, Matrix<float> *m, Options *o) {
    p[0] = with(o->name, nullptr, o) + is_vector<floats>::value + (int)names[0].size();
}
"""

# A statement of device code, and what is said of it.
USES = {
    "std::vector<int> w;": r"deleted function.*\n(.*\n)*.*note: std::vector is for host code: use an array of fixed size",
    "v->push_back(1);": r'has no member "push_back"',
    'std::string s = "x"; ': r"std::(__cxx11::)?(basic_)?string(.*\n)*.*note: std::string is for host code: use arrays of characters",
    "std::cout << 1;": r'no operator "<<"(.*\n)*.*note: std::ostream is for host code: printf\(\) of <cstdio>',
    "std::mutex m; m.lock();": r"note: std::mutex is for host code: use __syncthreads",
    "fprintf(stderr, \"x\");": r"fprintf",
    "std::shared_ptr<int> q(new int);": r"shared_ptr",
}


def run(*command):
    done = subprocess.run(command, env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


class HostTypes(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def compile(self, text, *options):
        source = self.folder / "source.cu"
        source.write_text(text, encoding="utf-8")
        return run(COMMAND, "compile", source, "-o", f"{source}.cubinet", "--toolkit", TOOLKIT, "--arch", "90-virtual",
                   "-std=c++20", "--no-cache", *options)

    def test_sizes_are_the_hosts(self):
        headers = "".join(f"#include <{name}>\n" for names in TYPES for name in names.split())
        names = [ALIASES.get(name, re.sub("|".join(ALIASES), lambda found: ALIASES[found.group()], name))
                 for text in TYPES.values() for name in text.split()]
        prints = "".join(f'    std::printf("%zu %zu\\n", sizeof({name}), alignof({name}));\n' for name in names)
        source = self.folder / "sizes.cpp"
        source.write_text(f"{headers}using namespace std;\nint main()\n{{\n{prints}}}\n", encoding="utf-8")
        status, said = run(CXX, "-std=c++20", source, "-o", self.folder / "sizes")
        self.assertEqual(status, 0, said)
        _, sizes = run(self.folder / "sizes")
        asserts = "".join(
            f'static_assert(sizeof({name}) == {size.split()[0]} && alignof({name}) == {size.split()[1]}, "");\n'
            for name, size in zip(names, sizes.splitlines()))
        self.assertGreater(asserts.count("\n"), 200)
        self.assertEqual(self.compile(f"{headers}using namespace std;\n{asserts}__global__ void k() {{}}\n"), (0, ""))

    def test_declarations(self):
        self.assertEqual(self.compile(DECLARATIONS), (0, ""))
        self.assertEqual(self.compile(DECLARATIONS, "-default-device"), (0, ""))

    def test_uses(self):
        for use, said in USES.items():
            status, text = self.compile(f"#include <cstdio>\n#include <iostream>\n#include <memory>\n#include <mutex>\n#include <string>\n#include <vector>\n"
                                        f"__device__ void f(std::vector<int> *v)\n{{\n    {use}\n}}\n")
            self.assertEqual(status, 1, use)
            self.assertRegex(text, re.compile(rf"source\.cu:9(:\d+)?: error: (.*\n)*.*{said}"), use)
            self.assertNotIn("declared at", text)


if __name__ == "__main__":
    unittest.main()
