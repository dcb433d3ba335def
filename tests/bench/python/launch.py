"""What a launch from Python costs the host: cuattune beside Plan::launch(), PyTorch, a plain custom_op, Triton, CuPy.

python3 launch.py [--batches N]: medians over batches, in turn; each batch is launched into an empty queue. Three
vectors of 1,024 floats, so that the GPU is never what is waited for. Prints a table, nanoseconds a call.
"""

import argparse
import functools
import statistics
import time

import torch

import cuattune as at

ADD = """/*attune
[kernel]
name = "vector_add"
[problem]
n = { size = 1024 }
T = ["float"]
[parameters]
BLOCK = [256, 128]
[[launch]]
entry = "vector_add<T, BLOCK>"
grid = ["ceil_div(n, BLOCK)"]
block = ["BLOCK"]
arguments = ["out", "a", "b", "n"]
[arguments]
out = { type = "T", size = "n", role = "out" }
a = { type = "T", size = "n", role = "in" }
b = { type = "T", size = "n", role = "in" }
n = { type = "int64" }
*/
template <typename T, int BLOCK>
__global__ void vector_add(T* out, const T* a, const T* b, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}
"""
LAUNCHES = 300  # in a batch; a stream takes about 1,000


def triton_add(out, a, b):
    import triton
    import triton.language as tl

    @triton.jit
    def kernel(out, a, b, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(a + i, i < n) + tl.load(b + i, i < n), i < n)

    n = out.numel()
    return lambda: kernel[(4,)](out, a, b, n, BLOCK=256)


def cupy_add(out, a, b):
    import cupy

    kernel = cupy.RawKernel("""extern "C" __global__ void add(float* out, const float* a, const float* b, long long n) {
        long long i = blockIdx.x * 256ll + threadIdx.x;
        if (i < n) out[i] = a[i] + b[i];
    }""", "add")
    arrays = tuple(cupy.from_dlpack(one) for one in (out, a, b))
    arguments = (*arrays, cupy.int64(out.numel()))
    return lambda: kernel((4,), (256,), arguments)


def cupy_arrays(kernel, out, a, b):
    import cupy

    out, a, b = (cupy.from_dlpack(one) for one in (out, a, b))
    return lambda: kernel(out, a, b)


def cupy_ufunc(out, a, b):
    import cupy

    out, a, b = (cupy.from_dlpack(one) for one in (out, a, b))
    return lambda: cupy.add(a, b, out)


def plain_custom_op(kernel, a, b):
    @torch.library.custom_op("bench::plain", mutates_args=())
    def plain(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return kernel(a, b)

    return lambda: plain(a, b)


def rows_of(kernel, out, a, b):
    op = kernel.torch_op("bench::add")
    rows = {
        "kernel(out, a, b)": lambda: kernel(out, a, b),
        "kernel(a, b), which makes out": lambda: kernel(a, b),
        "torch_op(a, b)": lambda: op(a, b),
        "torch_op(a, b).op": lambda: op.op(a, b),
        "torch.add(a, b, out=out)": lambda: torch.add(a, b, out=out),
        "torch.add(a, b)": lambda: torch.add(a, b),
        "torch.ops.aten.add.Tensor(a, b)": lambda: torch.ops.aten.add.Tensor(a, b),
        "torch.empty_like(a)": lambda: torch.empty_like(a),
        "custom_op around kernel(a, b)": plain_custom_op(kernel, a, b),
    }
    for name, make in (("Triton, cached", triton_add), ("CuPy RawKernel", cupy_add), ("cupy.add", cupy_ufunc),
                       ("kernel(out, a, b) of CuPy", functools.partial(cupy_arrays, kernel))):
        try:
            rows[name] = make(out, a, b)
            rows[name]()
        except Exception as error:  # a peer that is not there
            rows.pop(name, None)
            print(f"{name}: not measured ({type(error).__name__}: {str(error)[:80]})")
    return rows


def batch(function):
    torch.cuda.synchronize()
    begin = time.perf_counter_ns()
    for _ in range(LAUNCHES):
        function()
    return (time.perf_counter_ns() - begin) / LAUNCHES


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batches", type=int, default=100)
    batches = parser.parse_args().batches
    kernel = at.kernel(ADD)
    a, b = torch.randn(1024, device="cuda"), torch.randn(1024, device="cuda")
    out = torch.empty_like(a)
    kernel.prepare(a, b)
    rows = rows_of(kernel, out, a, b)
    times = {name: [] for name in ("Plan::launch()", *rows)}
    empty = []
    for i in range(batches + 5):
        torch.cuda.synchronize()
        taken = {"Plan::launch()": kernel._plan_launch_ns(LAUNCHES, out, a, b)}
        taken.update({name: batch(function) for name, function in rows.items()})
        empty.append(batch(lambda: None))
        if i >= 5:
            for name, value in taken.items():
                times[name].append(value)
    torch.testing.assert_close(out, a + b)
    base = statistics.median(times["Plan::launch()"])
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}; an empty call {statistics.median(empty):.0f} ns")
    print(f"{'call':32} {'ns':>8} {'quartiles':>15} {'over Plan::launch()':>20}")
    for name, values in times.items():
        low, middle, high = statistics.quantiles(values, n=4)
        print(f"{name:32} {middle:8.0f} {f'{low:.0f}-{high:.0f}':>15} {middle - base:20.0f}")


if __name__ == "__main__":
    main()
