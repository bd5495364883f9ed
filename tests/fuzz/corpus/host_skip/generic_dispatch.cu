template <class T> __global__ void k(T *p) {}
template <class F> auto visit(int t, F &&f) { if (t) return std::forward<F>(f)(1); else if (t > 2) return f(2l); return std::invoke(f, 3); }
template <class F, int... I> struct P { template <int... J> static void apply(F &f) { (f.template operator()<J..., I>(), ...); } };
struct L { float *x; template <int A> void operator()() { k<float><<<1, A>>>(x); } template <class T> void g(T); template <class T> void h(T); };
template <class T> void L::g(T t) { k<T><<<1, 1>>>(0); }
template <class T> void L::h(T t) { auto const c = v[0], d = 2; const bool b = v[1]; g<T>(c); P<L, 1, 2>::template apply<>(*this); }
struct s<int>make(_Complex float *p) { return {}; }
void h(float *p)
{
  auto run = [&](auto x) { k<decltype(x)><<<1, 1>>>(nullptr); }; visit(1, run); run(2);
  visit(2, [&](auto t) { visit(3, [=]<int N>(auto &&...u) { k<float _Complex><<<1, N>>>(p); }); }, [](auto x) { k<int><<<1, 1>>>(x); });
  for (;;) if (p) do k<<<1, 1>>>(p); while (0); else try { k<<<1, 1>>>(&p); } catch (...) { k<int><<<1, 1>>>(0); } struct q { int a; } z; enum { A };
  visit(A, L{p});
}
@@@
a.cu(10): error: identifier "x" is undefined
a.cu(10): error: no instance of function template "visit" matches the argument list
a.cu(11): error: a lambda is refused
a.cu(6): error: no operator "[]" matches these operands
a.cu(4): error: extern inline function "make" was referenced but not defined
a.cu(7): error: "s" is not a template
