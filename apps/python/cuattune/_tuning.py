"""Tuning, comparing and checking kernels by the program `attune`."""

import difflib
import functools
import inspect
import os
import re
import shlex
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from . import _kernel, _serving
from ._command import INTERRUPTED, NO_SURVIVOR, Line, Output, error_of, execute, option_words, value_text, warn_of
from ._native import UsageError
from ._results import Check, ComparisonRow, Match, Record, Row, Rows, Trial, TuneResult, row, time_text
from ._tunable import Tunable, command_of

Problem = str | dict[str, Any]
_ROW = TypeVar("_ROW", bound=Row)


def run(command: str, *words: Any, **options: Any) -> Rows[Row]:
    """Runs any command of the command line and returns its rows: `run("ladder", "transpose", device="host")`.

    words: what stands without a dash: kernels (Kernel, torch operator, name or path), files. options: those of
    `attune COMMAND --help`: `time_limit="20s"` is --time-limit 20s, True is a flag, a list repeats the option, a dict
    is "name=value name=value", a last `_` is dropped (`from_`). Text of commands without rows is in `.text`.
    Raises UsageError and Error with the program's words, and KeyboardInterrupt where Ctrl-C left no rows.
    """
    output = execute([*command.split(), *map(word_of, words), *option_words(options)])
    if output.code == INTERRUPTED and not output.lines:
        raise KeyboardInterrupt
    return rows_of(output)


def rows_of(output: Output) -> Rows[Row]:
    """Returns the rows of what a command printed. Notes are `notes`; a first line of another type than rows is head."""
    warn_of(output)
    lines = [line for line in output.lines if line.get("type") != "note"]
    is_headed = len(lines) > 0 and lines[0].get("type") in ("bench", "ladder")
    return Rows([row(line) for line in lines[is_headed:]], row(lines[0]) if is_headed else None, _notes(output),
                output.text, output.interrupted)


def word_of(kernel: Any) -> str:
    """Returns how the command line calls a kernel: a Kernel, an operator that has one, a Tunable, a name, or a path."""
    kernel = _kernel_in(kernel)
    if isinstance(kernel, Tunable):
        return kernel.name
    return str(kernel.target) if hasattr(kernel, "target") else os.fspath(kernel)


def tune(kernel: Any, *arrays: Any, effort: str = "measure", limit: float | str | None = None,
         trials: int | None = None, patience: int | None = None, strategy: str | None = None,
         target: str | None = None, regime: str | None = None, objective: str | None = None,
         device: str | None = None, seed: int | None = None, fresh: bool = False,
         parameters: Problem | None = None, problem: Problem | None = None, progress: bool | None = None,
         on_trial: Callable[[Trial], object] | None = None, on_record: Callable[[Record], object] | None = None,
         **named: Any) -> TuneResult:
    """Searches the best configuration for a problem in worker processes, stores it, and returns what was found.

    kernel: a Kernel, a torch operator made from one, a built-in name, or the path of a kernel file; or a Tunable.
    arrays: give sizes, types and the device alone; workers make data of their own. Keywords that the problem has, or
    problem="n=2**20 T=float", give what arrays do not say; other keywords are options of `attune tune`.
    limit: of the search, seconds or "20s", "5m". target: "1.2ms" or "2x". parameters: narrows it, "BLOCK=128,256".
    progress: a bar of tqdm; None: where tqdm is installed, in a terminal or a notebook. on_trial, on_record: called on
    this thread as trials and the record come; what one raises ends the search as Ctrl-C does, and is raised again.

    Ctrl-C ends the search and returns the best so far, with end == "interrupted"; a second one kills it and is raised.
    Raises UsageError for unknown names and values, and Error for a broken environment or if no configuration survives.
    """
    options = dict(effort=effort, time_limit=limit, trials=trials, patience=patience, strategy=strategy, target=target,
                   regime=regime, objective=objective, seed=seed, fresh=fresh, parameters=parameters)
    arguments = _arguments("tune", kernel, arrays, device, problem, options, named)
    if {"misses", "problems", "revalidate"} & named.keys():
        raise UsageError('tune() is of one problem; for many: cuattune.run("tune", kernel, problems=...)')
    bar = _Bar(progress, limit, trials)
    try:
        output = execute(arguments, _Listener(bar, on_trial, on_record))
    finally:
        bar.close()
    result = _tune_result(output)
    refresh = getattr(_kernel_in(kernel), "refresh", None)
    if refresh is not None:
        refresh()
    return result


def bench(kernel: Any, *arrays: Any, device: str | None = None, problem: Problem | None = None,
          **named: Any) -> Rows[ComparisonRow]:
    """Compares configurations, the record and a plain copy by interleaved samples; searches and stores nothing.

    Arguments are those of tune(), and options of `attune bench`: configuration=["A=1", {"A": 2}], regime="all",
    over="record", rounds=30, time_limit="5s". Ctrl-C returns the rounds so far, with `.interrupted`.
    """
    output = execute(_arguments("bench", kernel, arrays, device, problem, {}, named))
    if output.code == INTERRUPTED and not any(line.get("type") == "row" for line in output.lines):
        raise KeyboardInterrupt
    return rows_of(output)  # type: ignore[return-value]


def check(kernel: Any, *arrays: Any, device: str | None = None, problem: Problem | None = None, **named: Any) -> Check:
    """Compiles and runs one configuration, and returns its verdict ("ok" if right), resources and the compiler's log.

    Arguments are those of tune(), and options of `attune check`: configuration="TILE=16", time_limit="10s".
    """
    return _one(execute(_arguments("check", kernel, arrays, device, problem, {}, named)), Check)


def plan(kernel: Any, *arrays: Any, device: str | None = None, problem: Problem | None = None, **named: Any) -> Match:
    """Returns what a launch takes for a problem, and `.why`. Measures nothing.

    Arguments are those of tune(), and options of `attune plan`; with why=True `.reasons` has every record and cover.
    """
    output = execute(_arguments("plan", kernel, arrays, device, problem, {}, named))
    match = _one(output, Match)
    reasons = [row(line) for line in output.lines if line["type"] == "reason"]
    return Match({**match.to_dict(), "reasons": Rows(reasons)}) if reasons else match


def find(tunable: Tunable, problem: str | Mapping[str, Any] | None = None, *,
         database: str | os.PathLike[str] | None = None, **named: Any) -> Match:
    """Returns what is known for a problem: `.configuration`, how well it fits (`.rung`) and `.why`. Measures nothing.

    Where nothing is known, that is the default on the rung "none". Keywords are values of the problem.
    """
    values = {**(problem if isinstance(problem, Mapping) else {}), **named}
    texts = [text for text in (problem if isinstance(problem, str) else "", value_text(values)) if text]
    # A look-up asks a program for nothing but its description.
    told = "read -r asked; " + shlex.join(["printf", "%s\\n", tunable.description()])
    words = ["plan", "--program", told, *(["--problem", " ".join(texts)] if texts else [])]
    return _one(execute(words + (["--db", os.fspath(database)] if database else [])), Match)


def space(kernel: Any, *arrays: Any, device: str | None = None, problem: Problem | None = None,
          **named: Any) -> Rows[Row]:
    """Returns the legal configurations: one row with `legal`, `parameters` and `rules`, or what an option asks for.

    Arguments are those of tune(), and options of `attune space`: count=True, list=10, sample=10, audit=True,
    why="BLOCK=64". A device may be an architecture, "sm_90".
    """
    output = execute(_arguments("space", kernel, arrays, device, problem, {}, named))
    if output.code == INTERRUPTED:
        raise KeyboardInterrupt
    return rows_of(output)


def _kernel_in(kernel: Any) -> Any:
    return kernel if hasattr(kernel, "target") else getattr(kernel, "kernel", kernel)


def _arguments(command: str, kernel: Any, arrays: Sequence[Any], device: str | None, problem: Problem | None,
               options: dict[str, Any], named: dict[str, Any]) -> list[str]:
    """Returns the words of a command for one kernel and problem."""
    called = _words_of(command, kernel, arrays)
    values = dict(problem) if isinstance(problem, dict) else {}
    if arrays or named:
        kernel = _kernel_in(kernel)
        kernel = kernel if hasattr(kernel, "target") or isinstance(kernel, Tunable) else _kernel.kernel(kernel)
        given = {**options, **named}
        of_problem = _problem_values(command, kernel, given)
        values.update(of_problem)
        options = {name: value for name, value in given.items() if name not in of_problem}
    options = {**_kernel_options(command, kernel), **{k: v for k, v in options.items() if v is not None}}
    if arrays or any(map(_kernel._is_array, values.values())):
        device, values = kernel._device_and_problem(arrays, values, device)
    texts = [text for text in (value_text(values), problem if isinstance(problem, str) else "") if text]
    words = option_words({"device": device, "problem": " ".join(texts) or None, **options})
    return [command, *called, *words]


def _words_of(command: str, kernel: Any, arrays: Sequence[Any]) -> list[str]:
    """Returns the words for what a command is of."""
    if not isinstance(kernel, Tunable):
        return [word_of(kernel)]
    if command not in ("tune", "plan"):
        raise UsageError(f"{command}() is of kernels, and `{kernel.name}` is a callable: tune() and find() are of both")
    if arrays:
        raise UsageError(f"`{kernel.name}` takes no arrays: give its problem by names, {dict(kernel.problem or {})}")
    if _serving.serves:
        raise UsageError(f"{command}() was reached while the worker of a tunable imported this module: put it below "
                         '`if __name__ == "__main__":`')
    return ["--program", command_of(kernel)]


def _problem_values(command: str, kernel: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Returns those keywords that are of the problem: arrays, and names that the kernel's [problem] has.

    Others are options of the command. Raises UsageError for a name that is both, or neither.
    """
    known, chosen = list(kernel.problem or {}), {}
    for name, value in given.items():
        is_option = name.rstrip("_") in _option_names(command)
        if value is None or value is False:
            continue
        if is_option and name in known:
            raise UsageError(f"`{name}` is an option of {command} and a problem value of {kernel.name}: give the "
                             f'value as problem="{name}=...", and the option by cuattune.run()')
        if name in known or _kernel._is_array(value):
            chosen[name] = value
        elif not is_option:
            own = inspect.signature(globals()[command]).parameters
            near = difflib.get_close_matches(name, [*known, *own, *_option_names(command)], 1)
            raise UsageError(f"{command}() knows no `{name}`" + (f" (did you mean `{near[0]}`?)" if near else "") +
                             f"; problem values of {kernel.name}: {', '.join(known)}; options: attune {command} --help")
    return chosen


def _kernel_options(command: str, kernel: Any) -> dict[str, Any]:
    """Returns the options by which a Kernel looks records up, where the command has them."""
    made_with = getattr(_kernel_in(kernel), "options", {})
    names = {"database": "db", "regime": "regime", "objective": "objective"}
    return {names[name]: value for name, value in made_with.items() if names.get(name) in _option_names(command)}


@functools.cache
def _option_names(command: str) -> frozenset[str]:
    text = execute([command, "--help"]).text
    return frozenset(name.replace("-", "_") for name in re.findall(r"--([a-z-]+)", text.partition("\nexamples")[0]))


def _notes(output: Output) -> list[str]:
    return [line["text"] for line in output.lines if line.get("type") == "note"]


def _one(output: Output, kind: type[_ROW]) -> _ROW:
    found = [row(line) for line in output.lines]
    for one in found:
        if isinstance(one, kind):
            warn_of(output)
            return one
    if output.interrupted:
        raise KeyboardInterrupt
    raise error_of(output)


def _tune_result(output: Output) -> TuneResult:
    by_type: dict[str, Line] = {line["type"]: line for line in output.lines}  # the last one of each type
    fields = {**by_type.get("match", {}), **by_type.get("best", {})}
    if not fields:
        if output.code == INTERRUPTED:
            raise KeyboardInterrupt
        raise error_of(output)
    if output.code == NO_SURVIVOR:
        raise error_of(output)
    warn_of(output)
    if "match" in by_type:
        fields |= {"end": "estimated", "explanation": fields["why"], "trials": 0}
    if output.interrupted:
        fields["end"] = "interrupted"
    rows = [row(line) for line in output.lines]
    session = by_type.get("session") or by_type.get("record") or fields
    return TuneResult({
        **fields, "kernel": session["kernel"], "problem": session["problem"], "device": session.get("device"),
        "record": row(by_type["record"]) if "record" in by_type else None, "finalists": Rows(rows).of("finalist"),
        "tried": Rows(rows).of("trial"), "notes": tuple(_notes(output))})


class _Listener:
    """Passes lines of a session on as they come: trials and the record to the caller's functions and to the bar."""

    def __init__(self, bar: "_Bar", on_trial: Callable[[Trial], object] | None,
                 on_record: Callable[[Record], object] | None):
        self._bar, self._on_trial, self._on_record = bar, on_trial, on_record
        self._is_stored = False  # the record that follows is of this session

    def __call__(self, line: Line) -> None:
        kind = line.get("type")
        if kind == "trial":
            self._bar.show(line)
            if self._on_trial is not None:
                self._on_trial(Trial(line))
        elif kind == "best":
            self._is_stored = line["end"] != "known" and not line.get("record_stands")
        elif kind == "record" and self._is_stored and self._on_record is not None:
            self._on_record(Record(line))


class _Bar:
    """A bar of tqdm where it is wanted and installed: trials of their limit, or seconds of theirs."""

    def __init__(self, wanted: bool | None, limit: float | str | None, trials: int | None):
        self._bar: Any = None
        if wanted is None:
            wanted = sys.stderr.isatty() or "ipykernel" in sys.modules
        if not wanted:
            return
        try:
            with warnings.catch_warnings(action="ignore"):  # tqdm warns where a notebook has no widgets
                from tqdm.auto import tqdm
        except ImportError:
            return
        seconds = _seconds(limit)
        self._counts_seconds = trials is None and seconds is not None
        self._began, self._total = time.monotonic(), seconds
        total = seconds if self._counts_seconds else trials
        self._bar = tqdm(total=total, unit="s" if self._counts_seconds else "trial",
                         bar_format="{l_bar}{bar}| {n:.0f}/{total:.0f} {unit}{postfix}" if total else None)

    def show(self, trial: Line) -> None:
        if self._bar is None:
            return
        best, default = trial.get("best_ns"), trial.get("default_ns")
        text = f"{trial['trial']} trials" if self._counts_seconds else ""
        text += f" best {time_text(best)}" if best else ""
        text += f" ({default / best:.2f}x the default)" if best and default else ""
        self._bar.set_postfix_str(text.strip(), refresh=False)
        done = min(time.monotonic() - self._began, self._total or 0) if self._counts_seconds else self._bar.n + 1
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def _seconds(limit: float | str | None) -> float | None:
    """Returns a limit of time in seconds; None where there is none, or the program will refuse it."""
    match = re.fullmatch(r"([0-9.]+) *([smh]?)", str(limit))
    try:
        return float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]] if match else None
    except ValueError:
        return None
