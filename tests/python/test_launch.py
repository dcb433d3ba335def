"""Kernels on NumPy arrays, on the host device."""

import copy
import os
import pickle
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import cuattune as at

SCALE = """/*attune
[kernel]
name = "scale"
[problem]
n = { size = 1024 }
T = ["float", "double", "int32"]
[parameters]
BLOCK = [64, 128]
[[launch]]
entry = "scale<T, BLOCK>"
grid = ["ceil_div(n, BLOCK)"]
block = ["BLOCK"]
arguments = ["out", "in", "n", "factor"]
[arguments]
out = { type = "T", size = "n", role = "out" }
in = { type = "T", size = "n", role = "in" }
n = { type = "int64" }
factor = { type = "T", fill = "2" }
*/
template <typename T, int BLOCK>
__global__ void scale(T* out, const T* in, long long n, T factor) {
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK + threadIdx.x;
  if (i < n) out[i] = FACTOR in[i] * factor;
}
"""


def scale(sign="", file=None):
    text = SCALE.replace("FACTOR", sign)
    if file is None:
        return at.kernel(text)
    file.write_text(text)
    return at.kernel(file)


@pytest.fixture(scope="module")
def softmax():
    return at.kernel("softmax")


def softmax_of(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def normal(*shape, dtype="f4"):
    return np.random.default_rng(1).standard_normal(shape).astype(dtype)


def test_sizes_types_and_outputs_follow_from_the_arrays(softmax):
    x = normal(3, 100)
    np.testing.assert_allclose(softmax(x), softmax_of(x), rtol=1e-5)
    out = np.empty_like(x)
    assert softmax(out, x) is out
    np.testing.assert_allclose(out, softmax_of(x), rtol=1e-5)
    assert softmax(out=out, **{"in": x}) is out
    assert softmax(None, x).shape == (3, 100)


def test_dimensions_in_front_count_as_rows(softmax):
    x = normal(2, 3, 50)
    np.testing.assert_allclose(softmax(x), softmax_of(x), rtol=1e-5)
    argmax = at.kernel("argmax")
    found = argmax(x, I="int64")
    assert found.shape == (2, 3) and found.dtype == np.int64
    np.testing.assert_array_equal(found, x.argmax(-1))
    matmul = at.kernel("gemm_batched")
    assert {one["name"]: one["names"] for one in matmul.arguments if "size" in one}["c"] is None


def test_a_flat_array_needs_one_size(softmax):
    x = normal(6, 50)
    assert softmax(x.ravel(), rows=6).shape == (300,)
    np.testing.assert_allclose(softmax(x.ravel(), columns=50).reshape(6, 50), softmax_of(x), rtol=1e-5)
    with pytest.raises(at.UsageError, match="do not say `rows`: give it by keyword"):
        softmax(x.ravel())
    with pytest.raises(at.UsageError, match="multiple of 7"):
        softmax(x.ravel(), rows=7)


def test_scalars_are_converted_to_the_type_of_the_argument():
    kernel = scale()
    np.testing.assert_array_equal(kernel(np.arange(5, dtype="f4"), 0.5), np.arange(5) * 0.5)
    np.testing.assert_array_equal(kernel(np.arange(5, dtype="i4"), 3), np.arange(5) * 3)
    np.testing.assert_array_equal(kernel(np.arange(5, dtype="f8"), np.float32(2)), np.arange(5) * 2)
    with pytest.raises(at.UsageError, match="factor.*int32"):
        kernel(np.arange(5, dtype="i4"), 0.5)
    with pytest.raises(at.UsageError, match="factor.*not given"):
        kernel(np.arange(5, dtype="i4"))
    with pytest.raises(at.UsageError, match="factor.*expected a number.*str"):
        kernel(np.arange(5, dtype="i4"), factor="3")
    with pytest.raises(at.UsageError, match="factor.*expected a number.*str"):
        kernel(np.arange(5, dtype="i4"), "3")


@pytest.mark.parametrize("call, text", [
    (lambda k, x: k(x[:, ::2]), r"`in`: expected a contiguous array, got float\[4, 32\]"),
    (lambda k, x: k(x.astype("i4")), r"`in`: expected T = float, bfloat16, half, got int32\[4, 64\]"),
    (lambda k, x: k(7.5), "`in`: expected an array, got float"),
    (lambda k, x: k(x, foo=2), "neither an argument nor a problem value `foo`"),
    (lambda k, x: k(np.empty((3, 64), "f4"), x),
     r"`out`: expected `size = rows \* columns` with rows = 4, got float\[3, 64\]"),
    (lambda k, x: k(np.empty((4, 64), "f8"), x), r"`out`: expected T = float, as `in` has, got double\[4, 64\]"),
    (lambda k, x: k(), "`in`: is not given"),
    (lambda k, x: k(x, x, 4, 64, 5), "takes 4 arguments, and 5"),
    (lambda k, x: k(x, columns="a"), "`columns`: expected an integer, got str"),
    (lambda k, x: k(x, rows=2**70), "does not fit 64 bits"),
    (lambda k, x: k(x, DATA="Data::logit"), "Data::logits"),
    (lambda k, x: k(x, **{"in": x}), "`in` is given twice"),
    (lambda k, x: k(x, stream="s"), "expected a stream"),
    (lambda k, x: k(x, stream=-1), "-1 is no handle of a stream"),
    (lambda k, x: k(Lends(LookupError("gone"))), "`in`"),
    (lambda k, x: k(x.astype(">f4")), "in"),
    (lambda k, x: k(np.empty((1,) * 9, "f4")), "`in`: .*9 dimensions"),
    (lambda k, x: k(x.astype(object)), "`in`: expected an array, got ndarray of object"),
    (lambda k, x: k([[1.0]]), "`in`: expected an array, got list"),
    (lambda k, x: k(x, rows=2), "`out`: is not made, because sizes by keyword say 128 elements"),
])
def test_a_wrong_argument_is_named(softmax, call, text):
    with pytest.raises((at.UsageError, TypeError), match=text):
        call(softmax, normal(4, 64))


def test_vector_types_are_arrays_of_their_components():
    text = SCALE.replace("FACTOR", "").replace("T factor", "float factor")
    text = text.replace('factor = { type = "T"', 'factor = { type = "float"')
    text = text.replace("in[i] * factor", "T{in[i].x * factor, in[i].y * factor}")
    text = text.replace('T = ["float", "double", "int32"]\n', "").replace("<T, BLOCK>", "<float2, BLOCK>")
    kernel = at.kernel(text.replace('type = "T"', 'type = "float2"'))
    pairs = np.arange(10, dtype="f4").reshape(5, 2)
    np.testing.assert_array_equal(kernel(pairs, 2.0), 2 * pairs)
    np.testing.assert_array_equal(kernel(pairs.ravel(), 2.0), 2 * pairs.ravel())
    np.testing.assert_array_equal(kernel(pairs.view("c8"), 2.0), 2 * pairs.view("c8"))
    with pytest.raises(at.UsageError, match="multiple of 2"):
        kernel(np.ones(5, "f4"), 2.0)


def test_a_part_of_larger_arrays_is_computed_where_sizes_say_so(softmax):
    x, out = normal(4, 64), np.full((4, 64), 7, "f4")
    softmax(out, x, rows=2)
    np.testing.assert_allclose(out[:2], softmax_of(x[:2]), rtol=1e-5)
    assert (out[2:] == 7).all()


def test_an_array_that_is_written_must_be_writable(softmax):
    out = np.empty((4, 64), "f4")
    out.flags.writeable = False
    with pytest.raises(at.UsageError, match="`out`: expected an array that may be written"):
        softmax(out, normal(4, 64))
    assert softmax(np.broadcast_to(normal(1, 64), (1, 64))).shape == (1, 64)  # read-only input


class Lends:
    """Gives other memory at each call of __dlpack__, and no other reference to it."""

    def __init__(self, error=None):
        self.error = error

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **options):
        if self.error:
            raise self.error
        return np.full(1 << 20, 3, "f4").__dlpack__(**options)


def test_memory_lives_as_long_as_the_call():
    kernel, out = scale(), np.empty(1 << 20, "f4")
    for _ in range(3):
        kernel(out, Lends(), 2.0)
        assert (out == 6).all()


def test_large_integers_fit_where_the_type_does():
    text = SCALE.replace("FACTOR", "").replace('factor = { type = "T"', 'factor = { type = "uint64"')
    kernel = at.kernel(text.replace("T factor", "unsigned long long factor").replace("in[i] * factor", "factor >> 60"))
    assert kernel(np.ones(3, "f4"), 2**64 - 1)[0] == 15
    with pytest.raises(at.UsageError, match="`factor`, is of type uint64"):
        kernel(np.ones(3, "f4"), -1)
    with pytest.raises(at.UsageError, match="64 bits"):
        kernel(np.ones(3, "f4"), 2**64)


def test_an_empty_output_hides_no_mistake():
    with pytest.raises(at.UsageError, match="`out`.*5 float"):
        scale()(np.empty(0, "f4"), np.ones(5, "f4"), 2.0, n=5)


def test_numbers_of_numpy_are_no_arrays():
    kernel = scale()
    assert kernel.why(n=np.int64(5), device="host") == kernel.why(n=5, device="host")
    os.environ["ATTUNE_DEVICE"] = "host"
    assert kernel.match(n=np.int64(5)).problem["n"] == 5
    with pytest.raises(at.UsageError, match="`n`: expected an integer or a name, got 1.5"):
        kernel.match(n=1.5)
    with pytest.raises(at.UsageError, match="is no device"):
        kernel.match(n=5, device="cuda:1x")


def test_kernels_are_copied_and_pickled():
    kernel = scale()
    assert copy.deepcopy(kernel) is kernel
    other = pickle.loads(pickle.dumps(kernel))
    np.testing.assert_array_equal(other(np.arange(3, dtype="f4"), 2.0), [0, 2, 4])


def test_a_child_that_ends_takes_no_file_along():
    done = run_python("""
import os, sys, time, numpy as np, cuattune as at
kernel = at.kernel(TEXT)
child = os.fork()
if child == 0:
    sys.exit(0)
os.waitpid(child, 0)
time.sleep(0.6)
assert kernel(np.ones(3, "f4"), 2.0)[0] == 2
folder = os.path.dirname(kernel.target)
del kernel
assert not os.path.exists(folder)
""".replace("TEXT", repr(SCALE.replace("FACTOR", ""))))
    assert done.returncode == 0, done.stderr


def test_errors_are_errors_of_python():
    assert issubclass(at.UsageError, (at.Error,)) and issubclass(at.UsageError, ValueError)
    assert issubclass(at.Error, RuntimeError) and issubclass(at.OutOfMemory, MemoryError)
    with pytest.raises(at.UsageError, match="did you mean `softmax`"):
        at.kernel("sofmax")
    with pytest.raises(at.Error, match=r"kernel\.cu:\d+:\d+"):
        at.kernel("/*attune\nnonsense\n*/\n")
    with pytest.raises(at.UsageError, match="no option `polici`"):
        at.kernel("softmax", polici="wait")
    with pytest.raises(at.UsageError, match="`regime` is a str, got 1"):
        at.kernel("softmax", regime=1)
    with pytest.raises(at.UsageError, match="`never` is no policy"):
        at.kernel("softmax", policy="never")


def test_empty_arrays_launch_nothing(softmax):
    assert softmax(np.empty((0, 64), "f4")).shape == (0, 64)


def test_an_edited_file_is_noticed(tmp_path):
    kernel = scale(file=tmp_path / "scale.cu")
    x = np.arange(5, dtype="f4")
    np.testing.assert_array_equal(kernel(x, 2.0), 2 * x)
    scale("-", tmp_path / "scale.cu")
    os.utime(tmp_path / "scale.cu", ns=(time.time_ns(), time.time_ns() + 1))
    time.sleep(0.6)
    np.testing.assert_array_equal(kernel(x, 2.0), -2 * x)
    (tmp_path / "scale.cu").write_text("/*attune\nbroken\n*/")
    time.sleep(0.6)
    with pytest.raises(at.Error, match="scale.cu:2"):
        kernel(x, 2.0)
    scale("-", tmp_path / "scale.cu")
    np.testing.assert_array_equal(kernel(x, 2.0), -2 * x)


def test_two_files_may_name_their_kernels_alike(tmp_path):
    one, other = scale(file=tmp_path / "one.cu"), scale("-", tmp_path / "other.cu")
    x = np.ones(3, "f4")
    assert one(x, 2.0)[0] == 2 and other(x, 2.0)[0] == -2


def test_why_names_record_and_next_step(softmax):
    x = normal(4, 64)
    assert "no wisdom for softmax" in softmax.why(x)
    assert "attune tune softmax" in softmax.why(x)
    assert softmax.match(x).configuration["BLOCK"] == 256
    assert softmax.match(device="host", rows=4, columns=64).rung == "none"


def test_threads_launch_at_once(softmax):
    x = normal(4, 64)
    expected = softmax(x)
    wrong = []

    def launch():
        for _ in range(20):
            if not np.array_equal(softmax(x), expected):
                wrong.append(1)

    threads = [threading.Thread(target=launch) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def run_python(text):
    return subprocess.run([sys.executable, "-W", "ignore", "-c", text], capture_output=True, text=True, timeout=120)


def test_a_child_of_fork_opens_its_own_device():
    done = run_python("""
import os, numpy as np, cuattune as at
kernel, x = at.kernel("softmax"), np.ones((2, 8), "f4")
kernel(x)
child = os.fork()
if child == 0:
    os._exit(0 if abs(kernel(x) - 0.125).max() < 1e-6 else 3)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""")
    assert done.returncode == 0, done.stderr


def test_the_interpreter_ends_with_live_kernels():
    done = run_python("""
import builtins, threading, numpy as np, cuattune as at
kernel, x = at.kernel("softmax"), np.ones((2, 8), "f4")
class Late:
    def __del__(self):
        try:
            kernel(x)
        except at.Error as error:
            print("late:", error)
builtins.kept = (kernel, Late())
threading.Thread(target=lambda: [kernel(x) for _ in range(5)]).start()
kernel(x)
""")
    assert done.returncode == 0 and done.stderr == "", done.stderr


def test_import_needs_no_framework():
    done = run_python("""
import sys
import cuattune
bad = {"numpy", "torch", "cupy", "pandas", "tqdm"} & set(sys.modules)
raise SystemExit(f"imported {bad}" if bad else 0)
""")
    assert done.returncode == 0, done.stderr
