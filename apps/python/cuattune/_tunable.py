"""Callables of Python as what is tuned: what is said of one, and how a worker process finds it."""

import json
import os
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ._native import UsageError
from ._results import Value

Run = Callable[[dict[str, Any]], Any]
Check = Callable[[dict[str, Any]], str | None]


@dataclass(frozen=True, eq=False, kw_only=True)
class Tunable:
    """A callable, and what can be chosen. Assign it to a global name of a module: worker processes import it by that.

    name: of what is kept. version: any text; change it with the work, so that what is known of the old one does not
    serve. problem: its names, each with the value that a request may leave out; an int above 0 is a size. parameters:
    each with its values, the default first. rules: expressions that a configuration obeys, "BLOCK * THREADS <= n".
    make: called with a problem, returns the work, or the pair (work, check). The work is called with a configuration
    and returns None (it is timed, so it waits for its device), seconds, a timedelta, or a pair of torch.cuda.Event.
    The check is called with a configuration after some of the runs; it raises AssertionError or returns what is wrong.
    device: where it runs, "cuda" or "cuda:1"; None: on this machine's processors.
    """

    name: str
    version: str
    parameters: Mapping[str, Sequence[Value]]
    make: Callable[[dict[str, Any]], Run | tuple[Run, Check]]
    problem: Mapping[str, Value] | None = None
    rules: Sequence[str] = ()
    device: str | None = None

    def description(self) -> str:
        """Returns what a program says of its callable, as JSON (docs/callables.md)."""
        described = {"name": self.name, "version": self.version, "problem": dict(self.problem or {}),
                     "parameters": {name: list(values) for name, values in self.parameters.items()},
                     "rules": list(self.rules)}
        if self.device is not None:
            described["device"] = self.device
        try:
            return json.dumps(described)
        except TypeError as error:
            raise UsageError(f"tunable `{self.name}`: a value is a bool, an int, a float or a str ({error})") from error


def command_of(tunable: Tunable) -> str:
    """Returns the command that does the work of a tunable in another process. Raises UsageError where none can."""
    place = _place_of(tunable)
    path = [os.path.abspath(folder) for folder in sys.path]
    code = (f"import sys; sys.path[:] = {path!r}; sys.argv[:] = {sys.argv!r}; "
            f"from cuattune._serving import main; main({place!r})")
    return "exec " + shlex.join([sys.executable, "-c", code])


def _place_of(tunable: Tunable) -> str:
    """Returns "module:name", or "file.py:name" of the script that runs."""
    places = [(module, name) for module in list(sys.modules) for name, value in _globals_of(module).items()
              if value is tunable]
    places.sort(key=lambda place: place[0] in ("__main__", "__mp_main__"))  # a script is the last resort
    if not places:
        raise UsageError(f"tunable `{tunable.name}` is no global name of a module, so that the process which does its "
                         "work cannot import it: make it at the top level of a module, `work = cuattune.Tunable(...)`")
    module, name = places[0]
    if module != "__main__":
        return f"{module}:{name}"
    main = sys.modules["__main__"]
    if getattr(main, "__spec__", None) is not None:  # python -m MODULE
        return f"{main.__spec__.name}:{name}"  # type: ignore[union-attr]
    file = getattr(main, "__file__", None)
    if file is None or not os.path.isfile(file):
        raise UsageError(f"tunable `{tunable.name}` was made in a notebook or a session, which the process that does "
                         f"its work cannot import: write it into a file (%%writefile work.py), and `from work import "
                         f"{name}`")
    return f"{os.path.abspath(file)}:{name}"


def _globals_of(module: str) -> dict[str, Any]:
    return dict(getattr(sys.modules.get(module), "__dict__", None) or {})
