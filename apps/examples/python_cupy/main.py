"""Heat that spreads, on CuPy arrays: on CuPy's streams, in a CUDA graph, and on a stream of cuda.core. Needs a GPU.

    pip install "cuattune[cu13]" cupy-cuda13x cuda-core
    python main.py
"""

import sys
from pathlib import Path
from typing import Any

import cupy
from cuda.core import Device

import cuattune as at

if not cupy.is_available():
    print("no GPU: nothing to show")
    sys.exit(0)

STEPS, RATE = 10, 0.2
heat = at.kernel(Path(__file__).with_name("heat.cu"))
start = cupy.random.default_rng(seed=1).random((4096, 4000), dtype=cupy.float32)


def step(now: Any, rate: float) -> Any:
    """Does the same by CuPy's own kernels."""
    after, inner = now.copy(), now[1:-1, 1:-1]
    after[1:-1, 1:-1] += rate * (now[:-2, 1:-1] + now[2:, 1:-1] + now[1:-1, :-2] + now[1:-1, 2:] - 4 * inner)
    return after


expected = start
for _ in range(STEPS):
    expected = step(expected, RATE)

# A call launches on CuPy's current stream, and makes its output there.
with cupy.cuda.Stream():
    now = start
    for _ in range(STEPS):
        now = heat(now, RATE)
    cupy.testing.assert_allclose(now, expected, rtol=1e-4)

# A graph holds launches. Its arrays are given, so that nothing is allocated, and the kernel is loaded before.
now, after = start.copy(), cupy.empty_like(start)
heat.prepare(after, now, RATE)
with cupy.cuda.Stream(non_blocking=True) as stream:
    cupy.cuda.Device().synchronize()  # this stream does not wait for the default stream
    stream.begin_capture()
    heat(after, now, RATE)
    heat(now, after, RATE)
    graph = stream.end_capture()
    for _ in range(STEPS // 2):
        graph.launch(stream)
    stream.synchronize()
cupy.testing.assert_allclose(now, expected, rtol=1e-4)

# Any stream may be named. CuPy does not know of it, so the arrays are given, and both sides wait.
device = Device()
device.set_current()
other = device.create_stream()
now = start.copy()
cupy.cuda.Device().synchronize()
for _ in range(STEPS):
    heat(after, now, RATE, stream=other)
    now, after = after, now
other.sync()
cupy.testing.assert_allclose(now, expected, rtol=1e-4)

print(at.tune(heat, start, limit="20s"))
print(at.compare(heat, {"CuPy": step}, start, RATE))
cupy.testing.assert_allclose(heat(start, RATE), step(start, RATE), rtol=1e-4)
print("correct")
