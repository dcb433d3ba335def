#!/usr/bin/env python3
"""What launching through Triton costs, by the kernel and the batches of `dispatch_bench gpu`. Needs PyTorch and a GPU.

The kernel is noop.cu's: two pointers, an integer, a float; its launches do nothing. Each batch begins with an empty
queue. Batches of all ways take turns; a time is that of one launch, the loop of Python included:

  jit                 noop[(1,)](...): binds the arguments, finds the compiled kernel, launches
  jit, 100 sizes      so, another size each time
  bound               compiled[(1, 1, 1)](..., stream=...): the compiled kernel and the grid are at hand
  launcher            Triton's generated C launcher, with addresses as integers
  a call of Python    a function of as many arguments that does nothing

Triton's cache of compiled kernels is in $TRITON_CACHE_DIR. The garbage collector is off while batches run.
Exit status: 0; 1 when something failed; 77 without PyTorch, Triton or a GPU.
"""

import argparse
import gc
import statistics
import sys
import time

SKIPPED = 77
begin = time.perf_counter_ns()
try:
    import torch
    import triton
    import triton.language as tl
except ImportError as missing:
    print(f"triton_peer: skipped: {missing} (in {sys.executable}, Python {sys.version.split()[0]})")
    sys.exit(SKIPPED)
imported_ms = (time.perf_counter_ns() - begin) * 1e-6

BLOCK, WARPS, SIZES = 32, 1, 100


@triton.jit
def noop(out, source, n, factor, BLOCK: tl.constexpr):
    if n < 0:
        tl.store(out, tl.load(source) * factor)


def nothing(out, source, n, factor, block):
    pass


def contenders(out, source, stream):
    """Ways to launch `count` times, by name, and why some are not there."""
    compiled = noop[(1,)](out, source, 7, 2.5, BLOCK, num_warps=WARPS)

    def jit(count):
        for _ in range(count):
            noop[(1,)](out, source, 7, 2.5, BLOCK, num_warps=WARPS)

    place = 0

    def sizes(count):
        nonlocal place
        for _ in range(count):
            place = place % SIZES + 1
            noop[(1,)](out, source, place, 2.5, BLOCK, num_warps=WARPS)

    bound_grid = compiled[(1, 1, 1)]

    def bound(count):
        for _ in range(count):
            bound_grid(out, source, 7, 2.5, BLOCK, stream=stream)

    run, function, metadata = compiled.run, compiled.function, compiled.packed_metadata
    to, of = out.data_ptr(), source.data_ptr()

    def launcher(count):
        for _ in range(count):
            run(1, 1, 1, stream, function, metadata, None, None, None, to, of, 7, 2.5, BLOCK)

    def python(count):
        for _ in range(count):
            nothing(out, source, 7, 2.5, BLOCK)

    ways = {"jit": jit, "jit, 100 sizes": sizes, "bound": bound, "launcher": launcher, "a call of Python": python}
    refused = {}
    for name, way in list(ways.items()):
        try:
            way(SIZES)  # compiles what is not compiled yet
            torch.cuda.synchronize()
        except Exception as error:  # the interface below `jit` is another one in other versions of Triton
            refused[name] = f"{type(error).__name__}: {error}"
            del ways[name]
    return ways, refused


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--batches", type=int, default=201)
    options.add_argument("--launches", type=int, default=500, help="in a batch")
    given = options.parse_args()
    if not torch.cuda.is_available():
        print("triton_peer: skipped: PyTorch finds no GPU")
        return SKIPPED
    out, source = (torch.zeros(100, dtype=torch.float32, device="cuda") for _ in range(2))
    own = torch.cuda.Stream()
    with torch.cuda.stream(own):
        torch.cuda.synchronize()
        first = time.perf_counter_ns()
        noop[(1,)](out, source, 7, 2.5, BLOCK, num_warps=WARPS)
        first_ms = (time.perf_counter_ns() - first) * 1e-6
        ways, refused = contenders(out, source, own.cuda_stream)
        times = {name: [] for name in ways}
        gc.disable()
        for _ in range(given.batches):
            for name, way in ways.items():
                torch.cuda.synchronize()
                start = time.perf_counter_ns()
                way(given.launches)
                times[name].append((time.perf_counter_ns() - start) / given.launches)
        torch.cuda.synchronize()
        gc.enable()
    print(f"{torch.cuda.get_device_name()}: Triton {triton.__version__}, PyTorch {torch.__version__}, Python "
          f"{sys.version.split()[0]}: medians of {given.batches} interleaved batches of {given.launches} launches")
    for name, values in times.items():
        print(f"  {name:28} {statistics.median(values):8.1f} ns")
    for name, why in refused.items():
        print(f"  {name:28} not with this version: {why}")
    print(f"  {'importing PyTorch and Triton':28} {imported_ms:8.1f} ms")
    print(f"  {'first launch':28} {first_ms:8.1f} ms")
    return 0 if "jit" in times else 1


if __name__ == "__main__":
    sys.exit(main())
