"""Tunes your own CUDA kernels, and launches them on arrays.

    import cuattune as at
    softmax = at.kernel("row_softmax.cu")
    y = softmax(x)                       # the recorded, a near or the default configuration, at once
    at.tune(softmax, x, limit="20s")     # in worker processes
    print(softmax.why(x))
"""

import sysconfig as _sysconfig

if _sysconfig.get_config_var("Py_GIL_DISABLED"):
    raise ImportError(
        "cuattune needs a Python with the GIL, and this one is free-threaded: run python3.13, not python3.13t")
try:
    from . import _native
except ImportError as error:
    raise ImportError(f"cuattune: {error.__cause__ or error}") from error

from . import wisdom
from ._command import AttuneWarning
from ._compare import Comparison, compare
from ._kernel import Kernel, kernel
from ._native import Error, NotPrepared, OutOfMemory, UsageError, version as __version__
from ._results import Check, ComparisonRow, Match, Record, Row, Rows, Trial, TuneResult
from ._tunable import Tunable
from ._tuning import bench, check, find, plan, run, space, tune

__all__ = ["AttuneWarning", "Check", "Comparison", "ComparisonRow", "Error", "Kernel", "Match", "NotPrepared",
           "OutOfMemory", "Record", "Row", "Rows", "Trial", "Tunable", "TuneResult", "UsageError", "bench", "check",
           "compare", "find", "kernel", "plan", "run", "space", "tune", "wisdom"]
