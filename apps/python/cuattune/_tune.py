"""Tuning from Python."""

import re
from dataclasses import asdict, dataclass
from typing import Any, Callable

from ._kernel import Kernel
from ._programs import program

_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}


@dataclass(frozen=True)
class TuneResult:
    """What a session found. Times are nanoseconds."""

    end: str
    configuration: dict | None
    median_ns: float
    default_ns: float
    speedup: float
    trials: int
    explanation: str

    def to_dict(self) -> dict:
        """Returns the members as a dictionary."""
        return asdict(self)

    def __str__(self) -> str:
        if self.configuration is None:
            return f"no record after {self.trials} trials: {self.explanation}"
        what = " ".join(f"{name}={value}" for name, value in self.configuration.items())
        return f"{self.speedup:.2f}x over the default, {self.median_ns / 1e3:.4g} us, {self.trials} trials: {what}"


def _seconds(limit: float | str | None) -> float | None:
    if limit is None or isinstance(limit, (int, float)):
        return limit
    found = re.fullmatch(r"([0-9.]+)(s|m|h|)", limit)
    if not found:
        raise ValueError(f"limit: expected seconds, or a text such as '20s' or '5m', got {limit!r}")
    return float(found[1]) * _UNITS[found[2]]


def tune(kernel: Kernel, *arrays: Any, effort: str = "measure", limit: float | str | None = None,
         trials: int | None = None, device: str | None = None,
         progress: Callable[[int, float, float], None] | None = None, **named: Any) -> TuneResult:
    """Searches the best configuration for the problem of these arrays, and stores it.

    The arrays give sizes and types alone; workers, processes of their own, make their own data. A crash or a hang costs
    one configuration. limit: of the search, seconds or "20s", "5m". progress: called after each trial with the number
    of trials, and the default's and the best time in nanoseconds (0: not known). Ctrl-C ends the search and keeps the
    best so far. Raises UsageError for what is unknown, Error for a broken environment.
    """
    on, problem = kernel._device_and_problem(arrays, named, device)
    options: dict[str, Any] = {"worker": program("attune-worker")}
    for name, value in (("seconds", _seconds(limit)), ("trials", trials), ("progress", progress)):
        if value is not None:
            options[name] = value
    return TuneResult(**kernel._native.tune(on, problem, effort, options))
