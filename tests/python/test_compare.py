"""Kernels beside callables, on the host device."""

import numpy as np
import pytest

import cuattune as at


def softmax_of(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def test_a_kernel_is_compared_with_functions():
    kernel, x = at.kernel("softmax"), np.random.default_rng(1).standard_normal((4, 64)).astype("f4")
    compared = at.compare(kernel, softmax_of, x, seconds=0.3)
    assert [row.name for row in compared.rows] == ["softmax_of", "softmax"]
    row = compared.rows[-1]
    assert row.median_ns_low <= row.median_ns <= row.median_ns_high
    assert row.speedup_low <= compared.speedup <= row.speedup_high
    assert compared.difference < 1e-6
    assert "in this process" in compared.verdict and "softmax_of: " in compared.verdict
    assert "[" in str(compared) and compared.verdict in str(compared)
    assert compared.to_dict()["rows"][1]["name"] == "softmax"
    x = np.ones((256, 1024), "f4")
    several = at.compare(kernel, {"once": softmax_of, "twice": lambda x: softmax_of(softmax_of(x))}, x, seconds=0.3)
    assert [row.name for row in several.rows] == ["once", "twice", "softmax"]
    assert several.rows[0].speedup == 1


def test_what_a_function_raises_is_raised():
    kernel, x = at.kernel("softmax"), np.ones((4, 64), "f4")
    calls = []

    def fails_late(x):
        calls.append(x)
        if len(calls) > 3:
            raise LookupError("late")

    with pytest.raises(LookupError, match="late"):
        at.compare(kernel, fails_late, x)
    with pytest.raises(at.UsageError, match='"cold" or "warm"'):
        at.compare(kernel, softmax_of, x, regime="stream")
    with pytest.raises(at.UsageError, match="`in`"):
        at.compare(kernel, softmax_of, x.astype("i4"))
