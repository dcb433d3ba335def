#include "odd_kernel.hpp"

namespace attune::test {

// Clusters, overlap, a condition of `requires`, a variable of the code, arrays by value and in host memory, [[verify]],
// real parameters, scalars of short types, names in entries after `::`.
const char* const odd_file = R"cu(/*attune
[kernel]
name = "odd"
summary = "a \"summary\" with \\ and ??/ in it"
[problem]
n = { size = 1000 }
rows = "size"
shift = { integer = -3 }
T = ["float", "half", "bfloat16", "int8", "double"]
OP = { choice = ["Op::sum", "Op::max"] }
[parameters]
BLOCK = [128, 64, 256, 1024]
CLUSTER = [2, 1, 4, 8]
RATIO = [0.5, 0.25, 1e-3]
OVERLAP = [true, false]
FAST = [false, true]
ACC = ["float", "double"]
MODE = ["Mode::a", "Mode::b"]
[restrictions]
rules = [
    "BLOCK / (CLUSTER - 8 + rows % 3) < 10000",
    "n * rows * BLOCK > 0",
    "T != 'double' || ACC == 'double'",
    "RATIO * BLOCK >= 16 || log2(BLOCK) == 10",
    "!FAST || device.compute_capability >= 90",
    "sizeof(T) * BLOCK <= device.shared_per_block / 16 && 2 ** rows > 1",
]
[compile]
requires = "sm_90a if FAST"
[[launch]]
memset = "sums"
value = 255
when = "MODE == 'Mode::b' || n % 7 == 0"
[[launch]]
entry = "odd<T, other::BLOCK, BLOCK, RATIO, FAST, ACC, MODE, OP, 2 * 3>"
grid = ["round_up(ceil_div(n, BLOCK), CLUSTER)", "min(rows, 65535)"]
block = ["BLOCK / 32", 32]
cluster = ["CLUSTER"]
shared = "floor(BLOCK * RATIO) * sizeof(T)"
cooperative = "n % 5 == 0 || BLOCK == 64"
arguments = ["out", "in", "weights", "sums", "small", "tiny", "flagged", "n", "free"]
[[launch]]
entry = "finish<ACC>"
grid = [1]
block = [256]
when = "rows < 100"
overlap = "OVERLAP"
arguments = ["sums", "shift", "kept"]
[[verify]]
entry = "verify<BLOCK>"
grid = ["rows * 1000"]
block = [64]
arguments = ["total", "sums"]
[arguments]
out = { type = "T", size = "n * rows", role = "out" }
in = { type = "T", size = "n * rows", role = "in", place = "mapped if n < 5000" }
weights = { type = "float", size = "rows % 2000 + 1", role = "in", pass = "value" }
filter = { type = "T", size = "16", role = "in", symbol = "d_filter<T, OP>" }
kept = { type = "float", size = "4 * rows", role = "scratch", symbol = "d_kept<OP>" }
sums = { type = "float4", size = "BLOCK * rows", role = "scratch" }
total = { type = "double", size = "1", role = "out" }
small = { type = "uint8", value = "n / 8" }
tiny = { type = "half", value = "RATIO * n" }
flagged = { type = "bool", value = "rows % 2" }
n = { type = "int32" }
shift = { type = "int16" }
free = { type = "T", fill = "2" }
[[reference]]
entry = "odd_reference<T>"
grid = [1]
block = [1]
arguments = ["out", "in", "n"]
[[reference]]
entry = "odd_total"
grid = [1]
block = [1]
arguments = ["total"]
*/
__global__ void odd() {}
)cu";

}  // namespace attune::test
