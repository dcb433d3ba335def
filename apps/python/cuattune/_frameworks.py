"""What attune asks of the frameworks that arrays come from: a new array, and the current stream."""

import sys
from typing import Any

_NUMPY = {"half": "float16", "float": "float32", "double": "float64", "float2": "complex64", "double2": "complex128"}
_TORCH = {**_NUMPY, "bfloat16": "bfloat16"}


def _framework(array: Any) -> str:
    return type(array).__module__.partition(".")[0]


def make(like: Any, shape: tuple[int, ...], type_name: str) -> Any:
    """Returns an array of the framework and on the device of `like`, its elements not set.

    shape: of the array, elements. type_name: attune's name of the element type.
    Raises TypeError where the framework has no such array.
    """
    framework = _framework(like)
    if framework == "torch":
        torch = sys.modules["torch"]
        return torch.empty(shape, dtype=getattr(torch, _TORCH.get(type_name, type_name)), device=like.device)
    if framework in ("numpy", "cupy"):
        name = _NUMPY.get(type_name, type_name)
        if name == "bfloat16":
            import ml_dtypes
            name = ml_dtypes.bfloat16
        return sys.modules[framework].empty(shape, dtype=name)
    raise TypeError(f"attune does not make arrays of {framework}: give the output array")


def stream_of(arrays: Any) -> int:
    """Returns the handle of the framework's current stream for the first array that has one; 0 on the host."""
    for array in arrays:
        framework = _framework(array)
        if framework == "torch" and array.is_cuda:
            return sys.modules["torch"].cuda.current_stream(array.device).cuda_stream
        if framework == "cupy":
            return sys.modules["cupy"].cuda.get_current_stream().ptr
    return 0


def handle_of(stream: Any) -> int:
    """Returns the handle of a stream: an int, or an object with `__cuda_stream__` or `cuda_stream`."""
    if isinstance(stream, int):
        return stream
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        return protocol()[1] if callable(protocol) else protocol[1]
    handle = getattr(stream, "cuda_stream", None)
    if handle is None:
        raise TypeError(f"expected a stream (an int, or an object with __cuda_stream__), got {type(stream).__name__}")
    return handle
