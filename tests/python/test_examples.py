"""The examples of apps/examples/python_*, as a reader runs them: each in a process of its own."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import cuattune as at

SOURCE = Path(os.environ.get("ATTUNE_SOURCE_DIR") or Path(__file__).parents[2])
EXAMPLES = SOURCE / "apps" / "examples"


def run(example: str) -> str:
    """Returns what an example prints. conftest.py gives it wisdom and a cache of its own."""
    done = subprocess.run([sys.executable, "-P", "-B", EXAMPLES / example / "main.py"], capture_output=True, text=True,
                          timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "correct", done.stdout
    return done.stdout


def need(*modules: str) -> None:
    for module in modules:
        try:
            found = importlib.util.find_spec(module)
        except ModuleNotFoundError:  # of the package that it is in
            found = None
        if found is None:
            pytest.skip(f"no {module}")


def test_numpy() -> None:
    need("numpy")
    printed = run("python_numpy")
    assert "refused: row_softmax: argument `in`: expected T = float, double, got int32[64, 300] on the host" in printed
    assert "before: no wisdom" in printed
    assert "after: row_softmax was tuned for this problem" in printed
    assert "there: row_softmax was tuned for this problem" in printed


def test_callable() -> None:
    printed = run("python_callable")
    assert "before: no wisdom for compress_in_pieces" in printed
    assert "after: compress_in_pieces was tuned for this problem" in printed


def need_gpu(is_there: bool) -> None:
    assert is_there or os.environ.get("ATTUNE_REQUIRE_GPU") != "1", "ATTUNE_REQUIRE_GPU=1, but there is no GPU"


def test_torch() -> None:
    need("torch")
    import torch

    need_gpu(torch.cuda.is_available())
    printed = run("python_torch")
    assert "mine::rms_norm(Tensor x, Tensor weight, float eps" in printed
    assert "rms_norm was tuned for this problem" in printed
    assert "largest difference between their results" in printed


def test_cupy() -> None:
    need("cupy", "cuda.core")
    import cupy

    need_gpu(cupy.is_available())
    if not cupy.is_available():
        pytest.skip("no GPU")
    assert "heat for height=4096 width=4000 T=float" in run("python_cupy")


@pytest.mark.parametrize("file, problem", [
    ("python_numpy/row_softmax.cu", "rows=3 columns=1"),
    ("python_numpy/row_softmax.cu", "rows=5 columns=67 T=double"),
    ("python_torch/rms_norm.cu", "rows=3 columns=1"),
    ("python_torch/rms_norm.cu", "rows=5 columns=67 T=half"),
    ("python_torch/rms_norm.cu", "rows=2 columns=5000 T=bfloat16"),
    ("python_torch/rms_norm_backward.cu", "rows=1 columns=1"),
    ("python_torch/rms_norm_backward.cu", "rows=5 columns=67 T=half"),
    ("python_torch/rms_norm_backward.cu", "rows=40 columns=264 T=bfloat16"),
    ("python_cupy/heat.cu", "height=1 width=1"),
    ("python_cupy/heat.cu", "height=33 width=31 T=double"),
])
def test_their_kernels_are_right_for_any_size(file: str, problem: str) -> None:
    assert at.check(str(EXAMPLES / file), problem=problem, device="host").verdict == "ok"


def test_a_compiler_for_gpus_takes_their_kernels() -> None:
    for file in sorted(EXAMPLES.glob("python_*/*.cu")):
        try:
            checked = at.check(str(file), device="sm_90")
        except at.Error as error:
            if "NVRTC" not in str(error):
                raise
            pytest.skip("no NVRTC")
        assert checked.verdict == "ok", checked.log
