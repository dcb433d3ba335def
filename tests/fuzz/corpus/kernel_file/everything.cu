// Uses every section and nearly every key of a kernel file. Tests edit its text to break it.
/* A licence may stand here: naïve, but 100 % UTF-8. */

/*attune
[kernel]
name = "everything"
summary = "out[i] = scale * in[i] + carry[i], on part of a ring"

[problem]
n = { size = 65536, host = 1024 }
offset = "integer"
shift = { integer = -3 }
T = ["float", "double", "int32"]               # the first is the default

[parameters]
ZETA = [128, 256, 64]                          # listed before ALPHA: the order of the file counts
ALPHA = [true, false]
ORDER = ["Order::rows", "Order::columns"]
FACTOR = [0.5, 1.0]
ITEMS = [2, 1, 4]

[restrictions]
rules = [
    "ZETA % ITEMS == 0",
    "ZETA * ITEMS <= n",
    "ZETA <= device.max_threads_per_block",
    "ORDER == 'Order::rows' || ITEMS in [1, 2]",
]

[[prepare]]
entry = "prepare_ring"
grid = ["1"]
block = [32]
arguments = ["in"]

[[launch]]
memset = "carry"
value = 255
when = "ALPHA"

[[launch]]
entry = "everything<T, ZETA, ALPHA, ORDER, ITEMS>"
grid = ["ceil_div(n, ZETA * ITEMS)", "2"]
block = ["ZETA", 1]
shared = "ZETA * sizeof(T)"
arguments = ["out", "in", "carry", "work", "n", "offset", "scale", "tiles"]

[[launch]]
entry = 'finish<T>'
when = "FACTOR > 0.75 && n > 1"
grid = ["device.multiprocessors"]
block = ["256"]
arguments = ["out", "n"]

[arguments]
out = { type = "T", size = "n", role = "out" }
in = { type = "T", size = "n", role = "in", fill = "uniform(-4, 4)" }
carry = { type = "float", size = "2 * n", role = "inout", fill = "normal(0, 0.5)", restore = false }
work = { type = "uint32", size = "ZETA * device.multiprocessors", role = "scratch" }
n = { type = "int64" }
offset = { type = "int32" }
scale = { type = "double", fill = "2.5" }
tiles = { type = "uint16", value = "ceil_div(n, ZETA)" }

[[reference]]
entry = "everything_reference<T>"
grid = ["ceil_div(n, 256)"]
block = ["256"]
arguments = ["out", "in", "carry", "n", "offset", "scale"]

[check]
absolute = "8 * epsilon(T) * sqrt(n)"
relative = 0.001

[check.carry]
absolute = 0
allow_nonfinite = true

[metrics]
bytes = "2 * n * sizeof(T)"
flops = "2 * n"

[compile]
options = ["--maxrregcount={ZETA}", "--use_fast_math if ALPHA && ITEMS > 1", "-lineinfo"]
defines = true
requires = "sm_80"
*/
#include "attune.cuh"

enum class Order { rows, columns };

template <typename T, int ZETA, bool ALPHA, Order ORDER, int ITEMS>
__global__ void everything(T* out, const T* in, float* carry, unsigned* work, long long n, int offset, double scale,
                           unsigned short tiles) {}

template <typename T>
__global__ void finish(T* out, long long n) {}

template <typename T>
__global__ void everything_reference(T* out, const T* in, const float* carry, long long n, int offset, double scale) {}
