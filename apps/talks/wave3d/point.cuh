// A step at one point of a slab, by the plainest code: for the references of the slab's kernels, behind stencil3d.cu.
#pragma once

/// Returns what the step makes of point i = (x, y, z) of `u`, whose neighbours in z are in the slab.
__device__ __forceinline__ float next_at(const float* u, const float* prev, const float* v2, long long i, long long nx,
                                         long long ny) {
  const long long area = nx * ny, x = i % nx, y = i / nx % ny;
  double laplacian = 3 * weight<4>(0) * u[i];
  for (int r = 1; r <= 4; ++r) {
    double sum = static_cast<double>(u[i - r * area]) + u[i + r * area];
    if (x >= r) sum += u[i - r];
    if (x + r < nx) sum += u[i + r];
    if (y >= r) sum += u[i - r * nx];
    if (y + r < ny) sum += u[i + r * nx];
    laplacian += weight<4>(r) * sum;
  }
  return static_cast<float>(2.0 * u[i] - prev[i] + v2[i] * laplacian);
}
