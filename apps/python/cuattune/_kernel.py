"""Kernels on arrays."""

import os
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Any

from . import _frameworks, _native, _nvrtc
from ._results import Match


class Kernel(_native.Kernel):
    """A kernel that is called with arrays. Any thread may call it.

    Arguments stand in the order of [arguments] in the kernel file, or are given by name. All arrays with role "out" may
    be left out: the framework of the inputs makes them. So may all numbers that are sizes. The call returns the
    outputs. Sizes and types follow from the arrays; what they do not say is given by keyword. A call launches on the
    framework's current stream, or on `stream=`: an int, or an object with `__cuda_stream__`. It never tunes; the first
    call for a problem may compile.

    A call raises UsageError that names the argument, what was expected and what was given, and Error where the device
    refuses the launch.
    """

    def __init__(self, name_or_file: str, **options: Any):
        if isinstance(options.get("database"), os.PathLike):
            options["database"] = os.fspath(options["database"])
        self.target = name_or_file
        self.options = options
        _nvrtc.announce()
        super().__init__(name_or_file, _frameworks.make_array, _frameworks.stream_of, _frameworks.handle_of, options)
        self._text: str | None = None  # of a kernel that was given as text

    def match(self, /, *arrays: Any, device: str | None = None, **named: Any) -> Match:
        """Returns what a call would launch, and why: rung, why, configuration, speedup, source. Compiles nothing."""
        on, problem = self._device_and_problem(arrays, named, device)
        return Match({"kernel": self.name, "problem": problem, **self._match(on, problem)})

    def why(self, /, *arrays: Any, device: str | None = None, **named: Any) -> str:
        """Returns the sentence of match(): which record serves these arrays, and why."""
        return self.match(*arrays, device=device, **named).why

    def prepare(self, /, *arrays: Any, **named: Any) -> None:
        """Loads or compiles the best configuration for the problem of a call, and waits. Launches nothing.

        A call of the same problem that is captured into a CUDA graph needs that, because a capture compiles nothing.
        """
        super().prepare(*arrays, **named)

    def refresh(self) -> None:
        """Takes up what was tuned since, also by other processes."""
        super().refresh()

    def torch_op(self, name: str, *, backward: "Kernel | None" = None) -> Any:
        """Registers the kernel as the PyTorch operator `name` ("mine::softmax"), and returns it.

        backward: the kernel of the gradient. It takes, by these names, `grad_OUT` for each output OUT, and inputs,
        outputs and numbers of this kernel; its outputs are `grad_IN` for inputs IN. A name that is registered again
        replaces the operator. Raises UsageError for a name without `::`, and for an argument of `backward` that is none
        of these.
        """
        from ._torch import TorchOperator

        return TorchOperator(self, name, backward)

    def _device_and_problem(
        self, arrays: tuple[Any, ...], named: dict[str, Any], device: str | None
    ) -> tuple[str, dict[str, Any]]:
        """Returns device and problem that arrays and keywords say; without arrays, the device of the process."""
        if not arrays and not any(map(_is_array, named.values())):
            return (device or os.environ.get("ATTUNE_DEVICE") or "cuda"), named
        on, problem = self._problem_of(*arrays, **named)
        return (device or on), problem

    def __reduce__(self) -> tuple[Any, ...]:
        return _kernel_of, (self._text or self.target, self.options)

    def __copy__(self) -> "Kernel":
        return self

    def __deepcopy__(self, memo: Any) -> "Kernel":
        return self

    def __repr__(self) -> str:
        return f"<cuattune.Kernel {self.target}>"


def kernel(name_or_file_or_text: str | os.PathLike[str], **options: Any) -> Kernel:
    """Returns a built-in kernel by its name, that of a file by its path, or that of the text of a kernel file.

    A path ends in .cu or holds a `/`; a text has more than one line. An edited file is noticed at a later call.
    options: policy ("background", "wait", "cached_only": what a call does while the best configuration is not loaded),
    regime, objective, database, deterministic_only; docs/dispatch.md describes them.
    Raises UsageError for an unknown name or option, and Error with file, line and column for what is no kernel file.
    """
    given = os.fspath(name_or_file_or_text)
    if "\n" not in given:
        return Kernel(given, **options)
    folder = tempfile.mkdtemp(prefix="cuattune-")
    file = Path(folder) / "kernel.cu"
    file.write_text(given)
    try:
        made = Kernel(str(file), **options)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    made._text = given
    weakref.finalize(made, _remove, folder, os.getpid())
    return made


def _remove(folder: str, maker: int) -> None:
    if os.getpid() == maker:  # no child of fork()
        shutil.rmtree(folder, ignore_errors=True)


def _kernel_of(given: str, options: dict[str, Any]) -> Kernel:
    return kernel(given, **options)


def _is_array(value: Any) -> bool:
    return hasattr(value, "__dlpack__") or hasattr(value, "__cuda_array_interface__")
