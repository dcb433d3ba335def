"""Kernels on arrays."""

import os
from typing import Any

from . import _native
from ._frameworks import handle_of, make, stream_of


class Kernel:
    """A kernel that is called with arrays.

    Arguments stand in the order of [arguments] in the kernel file, or are given by name. Arrays with role "out" may be
    left out: the framework of the inputs allocates them. Sizes and types follow from the arrays; what they do not say
    is given by keyword. Any thread.
    """

    def __init__(self, name_or_file: str):
        self._native = _native.Kernel(name_or_file, make)
        self._given = name_or_file

    @property
    def name(self) -> str:
        """The kernel's name."""
        return self._native.name

    def __call__(self, *arrays: Any, stream: Any = None, **named: Any) -> Any:
        """Launches on the framework's current stream, or on `stream`, and returns the outputs.

        stream: an int, or an object with `__cuda_stream__`. Never tunes. The first call for a problem may compile.
        Raises UsageError that names the argument, what was expected and what was given.
        """
        handle = stream_of((*arrays, *named.values())) if stream is None else handle_of(stream)
        return self._native.launch(arrays, named, handle)

    def match(self, *arrays: Any, device: str | None = None, **named: Any) -> dict:
        """Returns what a call would launch, and why: rung, why, configuration, speedup, source."""
        on, problem = self._device_and_problem(arrays, named, device)
        return self._native.match(on, problem)

    def why(self, *arrays: Any, device: str | None = None, **named: Any) -> str:
        """Returns the sentence of match(): which record serves these arrays, and why."""
        return self.match(*arrays, device=device, **named)["why"]

    def _device_and_problem(self, arrays, named, device):
        if arrays:
            on, problem = self._native.problem_of(arrays, named)
            return (device or on), problem
        return (device or os.environ.get("ATTUNE_DEVICE") or "cuda"), named

    def __repr__(self) -> str:
        return f"<cuattune.Kernel {self.name} of {self._given}>"


def kernel(name_or_file: str | os.PathLike) -> Kernel:
    """Returns a built-in kernel by its name, or the kernel of a file by its path (ends in .cu or holds a `/`).

    Raises UsageError for an unknown name, and Error with file, line and column for a file that is no kernel file.
    """
    return Kernel(os.fspath(name_or_file))
