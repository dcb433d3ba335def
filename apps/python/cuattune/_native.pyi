"""The extension (extension/module.cpp): launches kernels on arrays, says which record serves, times callables."""

from collections.abc import Callable
from typing import Any

version: str

class Error(RuntimeError):
    """What attune cannot do; the text names the next step."""

class UsageError(Error, ValueError):
    """What the caller asked for is unknown or does not fit."""

class OutOfMemory(Error, MemoryError):
    """The device lacks memory."""

class NotPrepared(Error):
    """Nothing is loaded, and compiling was not allowed."""

class Kernel:
    """A kernel file on arrays. Any thread may use it; its functions let other threads of Python run while they work."""

    def __init__(self, name_or_file: str, make_array: Callable[[Any, tuple[int, ...], str], Any],
                 stream_of: Callable[[Any], int], handle_of: Callable[[Any], int], options: dict[str, Any], /
                 ) -> None: ...
    def __call__(self, /, *arguments: Any, **named: Any) -> Any:
        """Launches the kernel, and returns the arrays with role "out": None, one, or a tuple."""

    @property
    def name(self) -> str:
        """The name that the kernel file gives."""

    @property
    def summary(self) -> str:
        """The sentence that the kernel file gives; "" if none."""

    @property
    def arguments(self) -> list[dict[str, Any]]:
        """What a caller passes, in order: name, type, role ("in", "out", "inout" or "scalar"); of arrays also size,
        names (None: the size is no product), factor, components, like (the place of the array of the same size, or
        None) and is_on_host."""

    @property
    def problem(self) -> dict[str, int | list[str] | None]:
        """What [problem] has: the default of a size (None: there is none), the names of a type or a choice."""

    def prepare(self, *arguments: Any, **named: Any) -> None:
        """Loads or compiles the best configuration for the problem of a call, and waits. Launches nothing."""

    def refresh(self) -> None:
        """Takes up what was tuned since."""

    def _match(self, device: str, problem: dict[str, Any], /) -> dict[str, Any]:
        """Returns what a launch uses, and why: rung, why, configuration, speedup, source."""

    def _problem_of(self, *arguments: Any, **named: Any) -> tuple[str, dict[str, Any]]:
        """Returns device and problem of a call that is not made."""

    def _plan_launch_ns(self, launches: int, /, *arguments: Any, **named: Any) -> float:
        """Returns the nanoseconds of one launch by a plan, the mean of `launches`."""

    def _time_in_turn(self, device: str, callables: list[Callable[[], Any]], flush: bool, seconds: float, /
                      ) -> dict[str, Any]:
        """Times callables in turn: rounds, half_width, and rows with medians and speed-ups over the first one."""

class Operation:
    """What PyTorch calls for an operator: a kernel, whose strided inputs are copied first."""

    def __init__(self, kernel: Kernel, /) -> None: ...
    def __call__(self, /, *arguments: Any, **named: Any) -> Any:
        """Launches the kernel as Kernel does."""
