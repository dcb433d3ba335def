"""What attune asks of frameworks that lack DLPack's C functions: a new array, and the current stream."""

import sys
from typing import Any

from . import _native

_NUMPY_NAMES = {"half": "float16", "float": "float32", "double": "float64", "float2": "complex64",
                "double2": "complex128"}


def _framework(array: Any) -> str:
    """Returns the framework whose arrays these are, or are derived from; else the package of their type."""
    packages = [base.__module__.partition(".")[0] for base in type(array).__mro__]
    return next((one for one in packages if one in ("torch", "cupy", "numpy")), packages[0])


def make_array(like: Any, shape: tuple[int, ...], type_name: str) -> Any:
    """Returns an array of the framework and on the device of `like`, its elements not set.

    shape: of the array, elements. type_name: attune's name of the element type.
    Raises UsageError where the framework has no such array.
    """
    framework = _framework(like)
    name = _NUMPY_NAMES.get(type_name, type_name)
    if framework == "torch":
        torch = sys.modules["torch"]
        return torch.empty(shape, dtype=getattr(torch, name), device=like.device)
    if framework == "cupy":
        with like.device:
            return sys.modules["cupy"].empty(shape, dtype=name)
    if framework == "numpy":
        return sys.modules["numpy"].empty(shape, dtype=name)
    raise _native.UsageError(f"attune makes no arrays of {framework}: give the output array")


def stream_of(array: Any) -> int:
    """Returns the handle of the framework's current stream; the default stream's, 0, where attune knows of none."""
    framework = _framework(array)
    if framework == "torch":
        return int(sys.modules["torch"].cuda.current_stream(array.device).cuda_stream)
    if framework == "cupy":
        return int(sys.modules["cupy"].cuda.get_current_stream().ptr)
    return 0


def handle_of(stream: Any) -> int:
    """Returns the handle of a stream: an int, or an object with `__cuda_stream__` or `cuda_stream`."""
    if isinstance(stream, int):
        if not 0 <= stream < 2**64:
            raise _native.UsageError(f"{stream} is no handle of a stream")
        return stream
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        return int((protocol() if callable(protocol) else protocol)[1])
    handle = getattr(stream, "cuda_stream", getattr(stream, "ptr", None))
    if handle is None:
        raise _native.UsageError(
            f"expected a stream (an int, or an object with __cuda_stream__), got {type(stream).__name__}")
    return int(handle)
