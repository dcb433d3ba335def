"""The process that does the work of a Tunable. Requests and answers are lines of JSON (docs/callables.md)."""

import importlib
import importlib.util
import io
import json
import os
import sys
import time
import traceback
from datetime import timedelta
from numbers import Real
from typing import IO, Any

from ._tunable import Tunable

serves = False  # this process does the work of a tunable


def main(place: str) -> None:
    """Serves until there are no more requests. `place`: MODULE:NAME or FILE.py:NAME, a global name."""
    global serves
    serves = True
    requests, answers = _take_channel()
    tunable = _load(place)
    for request in requests:
        print(answer(tunable, json.loads(request)), file=answers, flush=True)


def _take_channel() -> tuple[IO[str], IO[str]]:
    """Moves standard input and output to other descriptors: what is printed from here on goes to standard error."""
    channel = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr = io.TextIOWrapper(io.BufferedWriter(_Printed()), "utf-8", "backslashreplace",
                                               line_buffering=True)
    return channel


class _Printed(io.RawIOBase):
    """Standard error. It may be a pipe that is full and does not wait: what does not fit is lost."""

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return 2

    def write(self, data: Any) -> int:
        try:
            os.write(2, data)
        except OSError:
            pass
        return len(data)


def _load(place: str) -> Tunable:
    module, _, name = place.rpartition(":")
    if module.endswith(".py") or os.sep in module:
        sys.path.insert(0, os.path.dirname(os.path.abspath(module)))
        found = getattr(_script(module), name, None)
    else:
        found = getattr(importlib.import_module(module), name, None)
    if not isinstance(found, Tunable):
        sys.exit(f"cuattune.serve: `{name}` of {module} is no Tunable: give MODULE:NAME or FILE.py:NAME")
    return found


def _script(file: str) -> Any:
    """Runs a script under another name than __main__, as multiprocessing does."""
    spec = importlib.util.spec_from_file_location("__mp_main__", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["__main__"] = sys.modules["__mp_main__"] = module
    spec.loader.exec_module(module)
    return module


_work: Any = None
_check: Any = None


def answer(tunable: Tunable, request: dict[str, Any]) -> str:
    """Returns the answer to a request. What the user's code raises is an answer too."""
    global _work, _check
    if request["ask"] == "describe":
        return tunable.description()
    try:
        if request["ask"] == "begin":
            made = tunable.make(request["problem"])
            _work, _check = made if isinstance(made, tuple) else (made, None)
            return "{}"
        if request["ask"] == "run":
            return json.dumps({"ns": _time(request["configuration"])})
        return json.dumps({"wrong": _wrong(request["configuration"])})
    except Exception as error:
        _end_if_broken()
        text = f"{type(error).__name__}: {error}"
        frame = traceback.extract_tb(error.__traceback__)[-1]
        if frame.filename != __file__:
            text += f" ({os.path.basename(frame.filename)}:{frame.lineno})"
        if request["ask"] == "begin":
            text = f"make() of `{tunable.name}` failed: {text}\n{traceback.format_exc()}"
        is_memory = isinstance(error, MemoryError) or type(error).__name__ in ("OutOfMemoryError", "OutOfMemory")
        return json.dumps({"out_of_memory" if is_memory else "error": text})


def _time(configuration: dict[str, Any]) -> float:
    begin = time.perf_counter_ns()
    result = _work(configuration)
    taken = time.perf_counter_ns() - begin
    if result is None:
        return taken
    if isinstance(result, timedelta):
        return result / timedelta(microseconds=1) * 1e3
    if isinstance(result, Real) and not isinstance(result, bool):
        return float(result) * 1e9
    if isinstance(result, tuple) and len(result) == 2 and hasattr(result[0], "elapsed_time"):
        result[1].synchronize()
        return float(result[0].elapsed_time(result[1])) * 1e6
    raise TypeError(f"the work returned a {type(result).__name__}: expected None, seconds, a timedelta or a pair of "
                    "torch.cuda.Event")


def _wrong(configuration: dict[str, Any]) -> str:
    if _check is None:
        return ""
    try:
        said = _check(configuration)
    except AssertionError as error:
        return str(error).strip() or "an assertion of the check failed"
    if said is None or isinstance(said, str):
        return said or ""
    raise TypeError(f"the check returned {said!r}: expected None or what is wrong; `assert` says so too")


def _end_if_broken() -> None:
    """Ends the process where its CUDA context is of no use any more, so that a fresh one goes on."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return
    try:
        torch.cuda.synchronize()
    except Exception:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
