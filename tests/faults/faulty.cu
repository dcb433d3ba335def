/*attune
[kernel]
name = "faulty"
summary = "y = 3 x, and what FAULT says"
[problem]
n = { size = 1000, host = 1000 }
T = ["float", "int32"]
[parameters]
FAULT = ["Fault::none", "Fault::fine", "Fault::wrong", "Fault::nan", "Fault::guard", "Fault::input", "Fault::ends", "Fault::hangs",
         "Fault::traps", "Fault::asserted", "Fault::missing", "Fault::far"]
[[launch]]
entry = "faulty<T, FAULT>"
grid = ["ceil_div(n, 64)"]
block = ["64"]
arguments = ["y", "x", "n"]
[arguments]
y = { type = "T", size = "n", role = "out" }
x = { type = "T", size = "n", role = "in", fill = "uniform(1, 9)" }
n = { type = "int64" }
[[reference]]
entry = "reference<T>"
grid = ["ceil_div(n, 64)"]
block = ["64"]
arguments = ["y", "x", "n"]
[check]
relative = "epsilon(T)"
*/
enum class Fault { none, fine, wrong, nan, guard, input, ends, hangs, traps, asserted, far };

template <typename T>
struct Beyond {  // the next number that the tolerance does not cover
  static __device__ T of(T right) { return right + 1; }
};
template <>
struct Beyond<float> {
  static __device__ float of(float right) { return nextafterf(nextafterf(nextafterf(right, 1e30f), 1e30f), 1e30f); }
};

template <typename T, Fault FAULT>
__global__ void faulty(T* y, T* x, long long n) {
  static_assert(FAULT != Fault::asserted, "this one was not meant to be");
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = T(3) * x[i];
  if (i != n - 1) return;
  if (FAULT == Fault::wrong) y[i] = Beyond<T>::of(y[i]);
  if (FAULT == Fault::nan) y[i] = T(sqrtf(-x[i]));
  if (FAULT == Fault::guard) y[n] = 1;
  if (FAULT == Fault::input) x[i] = x[i] + 1;
  // Where arrays lie one behind the other, each at a multiple of 64 KiB: the result that is expected of y.
  if (FAULT == Fault::far) *reinterpret_cast<T*>((reinterpret_cast<unsigned long long>(y) | 0xFFFF) + 1) = 5;
  if (FAULT == Fault::ends) abort();
  if (FAULT == Fault::hangs)
    for (volatile int turns = 0;;) turns = 0;
  if (FAULT == Fault::traps) __trap();
}

template <typename T>
__global__ void reference(T* y, T* x, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = T(3) * x[i];
}
