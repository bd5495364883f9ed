// SPDX-License-Identifier: Apache-2.0
// Velocity Verlet with parameters in constant memory, in single or double precision.
#include <type_traits>

template <typename Real> struct Parameters {
    Real step;
    Real inverse_mass;
};

__constant__ Parameters<float> single_parameters;
__constant__ Parameters<double> double_parameters;

template <typename Real> __device__ const Parameters<Real> &parameters()
{
    if constexpr (std::is_same<Real, float>::value) {
        return single_parameters;
    } else {
        static_assert(std::is_same<Real, double>::value, "float or double");
        return double_parameters;
    }
}

// An oscillator: the force is minus the position.
template <typename Real, typename = typename std::enable_if<std::is_floating_point<Real>::value>::type>
__global__ void integrate(Real *positions, Real *velocities, int n, int steps)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    const Real step = parameters<Real>().step;
    const Real inverse_mass = parameters<Real>().inverse_mass;
    Real x = positions[i];
    Real v = velocities[i];
    Real a = -x * inverse_mass;
    for (int k = 0; k < steps; k++) {
        x += v * step + Real(0.5) * a * step * step;
        const Real next = -x * inverse_mass;
        v += Real(0.5) * (a + next) * step;
        a = next;
    }
    positions[i] = x;
    velocities[i] = v;
}
