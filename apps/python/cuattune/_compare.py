"""Kernels beside any callable of Python, timed in this process."""

import contextlib
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ._kernel import Kernel
from ._native import UsageError
from ._results import ComparisonRow, Rows

Functions = Callable[..., Any] | Sequence[Callable[..., Any]] | Mapping[str, Callable[..., Any]]


class Comparison:
    """What compare() found. `rows`: the functions, then the kernel, with medians and 95 % intervals. `difference`: the
    largest between the results of the kernel and of the first function; `magnitude`: the largest element of the latter.
    Both are None where the results cannot be subtracted."""

    def __init__(self, rows: Rows[ComparisonRow], difference: float | None, magnitude: float | None):
        self.rows = rows
        self.difference = difference
        self.magnitude = magnitude

    @property
    def speedup(self) -> float:
        """How many times as fast as the first function the kernel is: the median of paired ratios."""
        return float(self.rows[-1].speedup or 0)

    @property
    def verdict(self) -> str:
        """One sentence: what is faster, by how much, and how that was measured."""
        first, last = self.rows[0], self.rows[-1]
        low, high = float(last.speedup_low or 0), float(last.speedup_high or 0)
        what = "as fast as" if low <= 1 <= high else "faster than" if low > 1 else "slower than"
        return (f"{last.name} is {what} {first.name}: {self.speedup:.3f}x [{low:.3f}, {high:.3f}], "
                f"{last.rounds} rounds in turn, {last.regime}, in this process")

    def to_dict(self) -> dict[str, Any]:
        """Returns rows, verdict, difference and magnitude as plain values."""
        return {"rows": [row.to_dict() for row in self.rows], "verdict": self.verdict, "difference": self.difference,
                "magnitude": self.magnitude}

    def to_pandas(self) -> Any:
        """Returns a DataFrame of the rows."""
        return self.rows.to_pandas()

    def __str__(self) -> str:
        lines = [str(self.rows), self.verdict]
        if self.difference is not None:
            lines.append(f"largest difference between their results: {self.difference:.3g}, of elements up to "
                         f"{self.magnitude:.3g}")
        return "\n".join(lines)

    __repr__ = __str__


def compare(kernel: Any, function: Functions, *arrays: Any, seconds: float = 2.0, regime: str = "cold",
            **named: Any) -> Comparison:
    """Times a kernel and callables on the same arrays, in turn, in this process, and returns medians with intervals.

    kernel: a Kernel or an operator made from one; its best configuration is loaded before. function: called with the
    arrays and numbers that the kernel gets; wrap one that needs others: `lambda x: torch.softmax(x, -1)`. A list, or a
    dictionary with names, compares several. `named`: for the kernel alone. All enqueue on the current stream and do not
    wait. regime: "cold", a launch alone that finds other data in the caches, or "warm". seconds: at most; it ends
    earlier, once the intervals are within 0.25 %.
    The arrays must stay valid under repeated launches: role "inout" changes them. Raises UsageError for an unknown
    regime, what a callable raises, and Error where the device fails.
    """
    if regime not in ("cold", "warm"):
        raise UsageError(f'`{regime}` is no regime of compare(): expected "cold" or "warm"')
    functions = _named(function)
    of = getattr(kernel, "kernel", kernel)
    if not isinstance(of, Kernel):
        raise UsageError(f"compare() takes a Kernel or an operator made from one, got {type(kernel).__name__}")
    device, _ = of._device_and_problem(arrays, named, None)
    of.prepare(*arrays, **named)
    callables = [_bound(one, arrays) for one in functions.values()] + [_bound(kernel, arrays, named)]
    with _default_stream(device):
        results = [callables[-1](), callables[0]()]
        timed = of._time_in_turn(device, callables, regime == "cold", seconds)
    names = [*functions, of.name]
    configurations = [None] * len(functions) + [of.match(*arrays, **named).configuration]
    common = {"type": "row", "regime": regime, "verdict": "ok", "over": names[0], "rounds": timed["rounds"],
              "half_width": timed["half_width"]}
    rows = [ComparisonRow({**common, "name": name, "configuration": configuration, **row})
            for name, configuration, row in zip(names, configurations, timed["rows"])]
    return Comparison(Rows(rows), *_difference(*results))


def _named(function: Functions) -> dict[str, Callable[..., Any]]:
    if not callable(function) and not function:
        raise UsageError("compare() needs a function to compare with")
    if isinstance(function, Mapping):
        return dict(function)
    named: dict[str, Callable[..., Any]] = {}
    for one in [function] if callable(function) else function:
        name = getattr(one, "__name__", type(one).__name__).strip("<>")
        named[name if name not in named else f"{name} {len(named) + 1}"] = one
    return named


def _bound(function: Callable[..., Any], arrays: Sequence[Any], named: Mapping[str, Any] | None = None) -> Any:
    if named:
        return lambda: function(*arrays, **named)
    return lambda: function(*arrays)


@contextlib.contextmanager
def _default_stream(device: str) -> Any:
    """Has frameworks enqueue on the default stream, where the samples are taken, after what they did before."""
    torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
    with contextlib.ExitStack() as stack:
        if torch is not None:
            stack.enter_context(torch.no_grad())
        if device != "host" and torch is not None and torch.cuda.is_available():
            torch.cuda.synchronize(device)
            stack.enter_context(torch.cuda.stream(torch.cuda.default_stream(device)))
        if device != "host" and cupy is not None:
            stack.enter_context(cupy.cuda.Device(int(device.partition(":")[2] or 0)))
            cupy.cuda.runtime.deviceSynchronize()
            stack.enter_context(cupy.cuda.Stream.null)
        yield


def _difference(ours: Any, theirs: Any) -> tuple[float | None, float | None]:
    try:
        if ours is theirs or tuple(ours.shape) != tuple(theirs.shape):
            return None, None
        ours, theirs = (one.double() if hasattr(one, "double") else one.astype("f8") for one in (ours, theirs))
        return float(abs(ours - theirs).max()), float(abs(theirs).max())
    except (AttributeError, TypeError, ValueError, RuntimeError):
        return None, None
