/* Vectors of three, for both sides, with host output in the same header. */
#ifndef VEC_H
#define VEC_H
#include <cmath>
#include <ostream>
#include <string>

#ifdef __CUDACC__
#define HD __host__ __device__
#else
#define HD
#endif

template <typename T> struct Vec3
{
    T x, y, z;
    HD Vec3() : x(0), y(0), z(0) {}
    HD Vec3(T x_, T y_, T z_) : x(x_), y(y_), z(z_) {}
    HD T dot(const Vec3 &o) const { return x * o.x + y * o.y + z * o.z; }
    HD Vec3 &operator+=(const Vec3 &o) { x += o.x; y += o.y; z += o.z; return *this; }
    friend HD Vec3 operator+(Vec3 a, const Vec3 &b) { return a += b; }
    friend HD Vec3 operator*(T s, const Vec3 &a) { return Vec3(s * a.x, s * a.y, s * a.z); }
    HD T length() const;
    std::string text() const { return "(" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) + ")"; }
    friend std::ostream &operator<<(std::ostream &out, const Vec3 &v) { return out << v.text(); }
};

template <typename T> HD T Vec3<T>::length() const { return sqrt(dot(*this)); }

template <typename T> std::istream &operator>>(std::istream &in, Vec3<T> &v);

using Vec3f = Vec3<float>;
typedef Vec3<double> Vec3d;
#endif
