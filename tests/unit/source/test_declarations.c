/* SPDX-License-Identifier: Apache-2.0 */
#include "cxx/cxx_unit.h"
#include "source/declarations.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

/* A declaration as text: what it is, its name, and its flags' letters. */
static void describe(const struct cxx_tokens *tokens, const struct declaration *declaration, char *text,
                     size_t room)
{
    static const char kinds[] = {'o', 'f', 'v', 'c', 'n'};
    static const char letters[] = "TIKDHxcsvf=gmu";
    char flags[32] = "";
    for (size_t i = 0, size = 0; i < strlen(letters); i++) {
        if (declaration->flags & (1u << i)) {
            flags[size++] = letters[i];
        }
    }
    const struct cxx_token *name = declaration->name == SIZE_MAX ? NULL : &tokens->items[declaration->name];
    snprintf(text, room, "%c:%.*s%s%s", kinds[declaration->kind], name ? (int)name->size : 0,
             name ? name->text : "", flags[0] ? "/" : "", flags);
}

static void assert_declares(const char *text, const char *expected)
{
    const struct cbn_text_list none = {0};
    const struct cxx_settings settings = {"a.cu", text, &none, &none, &none, &none, &none, NULL, NULL};
    struct cxx_unit unit;
    struct declarations declarations;
    char made[4096] = "";
    assert_int_equal(cxx_unit_read(&settings, &unit), CUBINET_OK);
    assert_int_equal(declarations_read(&unit.tokens, &declarations), CUBINET_OK);
    for (size_t i = 0; i < declarations.count; i++) {
        size_t size = strlen(made);
        snprintf(made + size, sizeof(made) - size, "%s", i ? " " : "");
        describe(&unit.tokens, &declarations.items[i], made + strlen(made), sizeof(made) - strlen(made));
        assert_true(declarations.items[i].first < declarations.items[i].end);
        assert_true(declarations.items[i].end < unit.tokens.count);
    }
    assert_string_equal(made, expected);
    declarations_free(&declarations);
    cxx_unit_free(&unit);
}

static void tells_functions(void **state)
{
    (void)state;
    assert_declares("int f(int a) { return a; } int g();", "f:f f:g");
    assert_declares("__global__ void k(int *p) {}", "f:k/K");
    assert_declares("struct point make(int x) { return {x}; } static struct a<int>of() { return {}; } int x;",
                    "f:make f:of/s v:x");
    assert_declares(
        "struct point const &make() { return p; } struct s { struct point at() const { return p; } };",
        "f:make/c c:s f:at/cm");
    assert_declares("struct alignas(16) point { int x; }; struct EXPORT(1) other final { int y; };",
                    "c:point v:x/m c:other v:y/m");
    assert_declares("__global__ void __launch_bounds__(256, 2) k() {}", "f:k/K");
    assert_declares("__attribute__((device)) int f() { return 1; }", "f:f/D");
    assert_declares("template <class T, int N = (3 > 2)> __host__ __device__ T f(T x) { return x; }",
                    "f:f/TDH");
    assert_declares("template <class T> requires std::integral<T> && (sizeof(T) > 1) T f(T);", "f:f/T");
    assert_declares("template <class T> T f(T x) requires requires (T t) { t + t; } { return x; }", "f:f/T");
    assert_declares("template void f<int>(int); template __global__ void k<int>(int *);", "f:f/I f:k/IK");
    assert_declares("auto f() -> std::vector<int> { return {}; } decltype(auto) g() { return 1; }",
                    "f:f f:g");
    assert_declares("int (*choose(bool up))(int, int) { return 0; } int (*pointer)(int) = 0; int x;",
                    "f:choose v:pointer v:x");
    assert_declares("std::ostream &operator<<(std::ostream &o, const A &a) { return o; }", "f:operator");
    assert_declares("void *operator new[](size_t n) { return 0; } int operator\"\" _km(long double);",
                    "f:operator f:operator");
    assert_declares("A::A(int n) : a(n), b{n, {1}}, c<int>(2) { go(); } A::~A() {}", "f:A f:A");
    assert_declares("A::operator bool() const { return true; }", "f:operator/c");
    assert_declares("int main() try { run(); } catch (...) { return 1; } int after;", "f:main v:after");
    assert_declares("[[nodiscard]] static inline constexpr int f() noexcept(true) { return 1; }", "f:f/xs");
    assert_declares("template <class T> V(T) -> V<T>; int x;", "f:V/Tg v:x");
}

static void tells_variables(void **state)
{
    (void)state;
    assert_declares("int a = f(3), *b; const float t[] = {1, 2}; constexpr int N{4};", "v:a v:t/c v:N/x");
    assert_declares("__constant__ float c[4]; extern __shared__ int s[]; __device__ auto p = &f;",
                    "v:c/D v:s/D v:p/D");
    assert_declares("auto lambda = [](int a) { return a; }; int after;", "v:lambda v:after");
    assert_declares(
        "template <class T> constexpr bool is = sizeof(T) < 4; static std::map<int, A> m{{1, {2}}};",
        "v:is/Tx v:m/s");
    assert_declares("struct point *p; enum color c; unsigned x;", "v:p o:c v:x");
}

static void tells_classes(void **state)
{
    (void)state;
    assert_declares("struct A { int x; A() = default; ~A() {} int f() const { return x; } };",
                    "c:A v:x/m f:A/=m f:A/m f:f/cm");
    assert_declares("template <> struct std::hash<Key> : base<Key> { size_t operator()(Key) const; };",
                    "c:hash/T f:operator/cm");
    assert_declares("class A final : public B { public: virtual void f() = 0; void g() override; };",
                    "c:A f:f/vm f:g/vm");
    assert_declares("struct A { friend class B; friend void f(A) {} static int n; int b : 3; enum { x }; };",
                    "c:A o:/fm f:f/fm v:n/sm v:b/m o:enum/m");
    assert_declares("struct { int x; } one; union U { float f; }; struct later; template <class T> class L;",
                    "c: v:x/m c:U v:f/m o: o:/T");
    assert_declares("enum class E : int { a, b }; typedef struct { int x; } S; int after;",
                    "o:int o: v:after");
}

static void tells_scopes(void **state)
{
    (void)state;
    assert_declares("namespace a::b { int f(); } inline namespace { int g(); } namespace c = a;",
                    "n:b f:f n:/u f:g o:a");
    assert_declares("extern \"C\" { int f(); } extern \"C\" int g() { return 1; }", "n:/u f:f f:g");
    assert_declares("UNKNOWN_BEGIN namespace x { int f(); } UNKNOWN_END int after;",
                    "o:UNKNOWN_BEGIN n:x f:f v:after");
    assert_declares("USE(x); PUSH(1) struct A { int x; }; POP(2) __global__ void k() {} END",
                    "o:USE o:PUSH c:A v:x/m o:POP f:k/K o:END");
    assert_declares("using namespace std; using std::cout; static_assert(f(1), \"x\"); asm(\"nop\");",
                    "o: o: o: o:");
}

static void survives_nonsense(void **state)
{
    (void)state;
    assert_declares("}}} ; ) int f( ; template < class", "o:f");
    assert_declares("struct A { int f( { ; } ;", "c:A o:f/m");
    assert_declares("struct A { int operator(", "c:A o:operator/m");
    assert_declares("struct A { struct", "c:A o:/m");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_functions),   cmocka_unit_test(tells_variables),
        cmocka_unit_test(tells_classes),     cmocka_unit_test(tells_scopes),
        cmocka_unit_test(survives_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
