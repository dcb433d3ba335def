"""Tunes your own CUDA kernels, and launches them on arrays.

    import cuattune as at
    softmax = at.kernel("row_softmax.cu")
    y = softmax(x)                       # the recorded, a near or the default configuration, at once
    at.tune(softmax, x, limit="20s")     # in worker processes
    print(softmax.why(x))
"""

from ._kernel import Kernel, kernel
from ._native import Error, NotPrepared, OutOfMemory, UsageError, version as __version__

__all__ = ["Error", "Kernel", "NotPrepared", "OutOfMemory", "UsageError", "kernel"]
