"""Runs the program `attune` as a child process: options, lines of JSON, messages, exit codes, Ctrl-C."""

import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

from . import _programs
from ._native import Error, OutOfMemory, UsageError

# Exit codes (docs/command_line.md).
DONE, FAILED, USAGE, NO_SURVIVOR, INTERRUPTED = 0, 1, 2, 3, 130

# The commands that print text alone.
_TEXT = {"adopt", "alias", "export", "import", "merge", "new", "report", "strategies"}

Line = dict[str, Any]


class AttuneWarning(UserWarning):
    """A message of the program `attune` that is no error."""


@dataclass
class Output:
    """What a command printed, and how it ended."""

    lines: list[Line] = field(default_factory=list)
    text: str = ""
    messages: list[str] = field(default_factory=list)
    code: int = DONE
    interrupted: bool = False  # by Ctrl-C in this process


def value_text(value: Any) -> str:
    """Returns a value as the command line writes it; a mapping is "name=value name=value"."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if hasattr(value, "items"):
        return " ".join(f"{name}={value_text(one)}" for name, one in value.items())
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def option_words(options: dict[str, Any]) -> list[str]:
    """Returns keyword options as words of the command line.

    `time_limit="20s"` is `--time-limit 20s`, True is a flag alone, a list repeats the option, a mapping is written
    "name=value name=value", and None or False leaves the option out. A last `_` is not part of the name (`from_`).
    """
    words = []
    for name, given in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        for value in given if isinstance(given, (list, tuple)) else [given]:
            if value is True:
                words.append(option)
            elif value is not None and value is not False:
                text = value_text(value)
                words += [f"{option}={text}"] if text.startswith("-") else [option, text]
    return words


class _Child:
    """A running `attune`. Threads read what it prints, so that an exception in the caller's thread loses no line."""

    def __init__(self, arguments: Sequence[str]):
        path = _programs.program("attune")
        try:
            # Has a process group of its own: a terminal's Ctrl-C, or a notebook's signal to the group, comes from
            # stop() alone, and so once. When this process dies, its end of the pipe closes, and `attune` ends too.
            self._process = subprocess.Popen([path, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                             stderr=subprocess.PIPE, process_group=0,
                                             env={**os.environ, "ATTUNE_WITHOUT_READER": "end"})
        except OSError as error:
            raise Error(f"{path} cannot be run ({error.strerror}): install the package cuattune again") from error
        self._out: list[bytes] = []
        self._errors: list[bytes] = []
        self._news: queue.SimpleQueue[None] = queue.SimpleQueue()  # wakes the caller's thread; may be lost
        self._seen = 0
        self._is_over = False  # standard output is at its end
        self._reading = [threading.Thread(target=self._read, args=pair, daemon=True)
                         for pair in ((self._process.stdout, self._out), (self._process.stderr, self._errors))]
        for thread in self._reading:
            thread.start()

    def _read(self, stream: IO[bytes], lines: list[bytes]) -> None:
        with stream:
            for line in stream:
                lines.append(line)
                self._news.put(None)
        if lines is self._out:
            self._is_over = True
            self._news.put(None)

    def pass_lines(self, on_line: Callable[[bytes], None]) -> None:
        """Passes each line on, until there are no more. Goes on where an exception ended the call before."""
        while True:
            is_over = self._is_over
            while self._seen < len(self._out):
                self._seen += 1
                on_line(self._out[self._seen - 1])
            if is_over:
                return
            self._news.get()

    def stop(self) -> None:
        """Asks the program to end with what it found: SIGTERM, which also a process of `nohup` or `&` receives."""
        self._process.terminate()

    def end(self) -> tuple[int, bytes]:
        """Kills the program if it still runs. Returns its exit status and what it wrote to standard error."""
        if self._process.poll() is None:
            self._process.kill()
        code = self._process.wait()
        for thread in self._reading:
            thread.join(timeout=1)  # a process that it left may hold the pipe
        return code, b"".join(self._errors)

    def wait(self) -> None:
        self._process.wait()


def _follow(child: _Child, on_line: Callable[[bytes], None]) -> tuple[bool, BaseException | None]:
    """Waits for the end. Returns whether Ctrl-C came, and what `on_line` raised.

    The first Ctrl-C, or the first exception, asks the program to end; a Ctrl-C after that one is raised.
    """
    interrupted, failure, stops = False, None, 0
    while True:
        try:
            child.pass_lines(on_line if failure is None else lambda line: None)
            child.wait()
            return interrupted, failure
        except KeyboardInterrupt:
            interrupted = True
            if stops:
                raise
        except BaseException as error:
            failure = error
        stops += 1
        child.stop()


def _parsed(line: bytes, output: Output) -> Line | None:
    text = line.decode(errors="replace")
    if text.startswith("{"):
        try:
            parsed: Line = json.loads(text)
            output.lines.append(parsed)
            return parsed
        except ValueError:
            pass  # a line that a kill cut off
    output.text += text
    return None


def _messages(errors: bytes) -> list[str]:
    texts = re.split(r"^attune: ", errors.decode(errors="replace"), flags=re.MULTILINE)
    return [text.strip() for text in texts if text.strip()]


def execute(arguments: Sequence[str], on_line: Callable[[Line], None] | None = None) -> Output:
    """Runs `attune ARGUMENTS`, with --json where the command has it, and returns what it printed.

    on_line: called on this thread with each line of JSON as it comes. What it raises ends the command as Ctrl-C does,
    and is raised again. The first Ctrl-C lets the command end with what it found; a second one kills it and is raised.
    Messages beside text are a part of it; of those beside rows warn_of() warns. Exit codes 3 and 130 are left to the
    caller. Raises UsageError and Error with the program's words; their `rows` are the lines before. Any thread.
    """
    words = list(arguments) + ([] if arguments[0] in _TEXT else ["--json"])
    output = Output()

    def see(line: bytes) -> None:
        parsed = _parsed(line, output)
        if parsed is not None and on_line is not None:
            on_line(parsed)

    child = _Child(words)
    failure: BaseException | None = None
    try:
        output.interrupted, failure = _follow(child, see)
    finally:
        output.code, errors = child.end()
    output.messages = _messages(errors)
    if failure is not None:
        raise failure
    raise_failure(output, arguments[0])
    if arguments[0] in _TEXT:
        output.text += "".join(f"{message}\n" for message in output.messages)
        output.messages = []
    return output


def warn_of(output: Output) -> None:
    """Makes warnings of what a command said beside its rows."""
    for message in output.messages:
        warnings.warn(message, AttuneWarning, skip_file_prefixes=(os.path.dirname(__file__),))


def error_of(output: Output, kind: type[Exception] = Error) -> Exception:
    """Returns the exception with the program's messages; its `rows` are the lines that came before."""
    text = "\n".join(output.messages) or f"attune ended with exit code {output.code} and said nothing"
    if "no room for" in text:
        kind, text = OutOfMemory, text + _memory_hint()
    error = kind(text)
    error.rows = output.lines  # type: ignore[attr-defined]
    return error


def raise_failure(output: Output, command: str) -> None:
    """Raises what an exit code of 1 or 2, or a signal, means."""
    if output.code < 0:
        name = signal.Signals(-output.code).name
        if output.interrupted:
            raise KeyboardInterrupt
        advice = "is the machine out of memory?" if name == "SIGKILL" else "what was found so far is kept"
        output.messages.append(f"attune {command} was ended by {name}: {advice}")
        raise error_of(output)
    if output.code == USAGE:
        raise error_of(output, UsageError)
    if output.code not in (DONE, NO_SURVIVOR, INTERRUPTED):
        raise error_of(output)


def _memory_hint() -> str:
    """Returns what PyTorch could give back to the device, and how; "" if nothing."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return ""
    unused = sum(torch.cuda.memory_reserved(one) - torch.cuda.memory_allocated(one)
                 for one in range(torch.cuda.device_count()))
    if unused == 0:
        return ""
    return (f"\nPyTorch's allocator in this process holds {unused / 1e6:.0f} MB that no tensor uses: "
            "torch.cuda.empty_cache() gives them back")
