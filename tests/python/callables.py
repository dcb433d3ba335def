"""Tunables of the tests. Their work tells its own time, so that no test depends on the machine."""

import os
import sys
import time
from datetime import timedelta
from types import SimpleNamespace

import cuattune as at


class Event:
    """Stands for torch.cuda.Event, at a time in milliseconds."""

    def __init__(self, at_ms):
        self.at_ms, self.is_over = at_ms, False

    def synchronize(self):
        self.is_over = True

    def elapsed_time(self, end):
        assert end.is_over, "nobody waited for the last event"
        return end.at_ms - self.at_ms


def make(problem):
    assert isinstance(problem["where"], str) and os.getpid() != int(os.environ.get("PID_OF_TEST", "0"))
    sys.stdin.read()  # is at its end
    print("what the work prints is no answer", flush=True)
    ran = []

    def run(configuration):
        ran[:] = [configuration]
        seconds = problem["n"] * 1e-6 / configuration["STEP"]
        match configuration["HOW"]:
            case "crash":
                os.abort()
            case "hang":
                while True:
                    time.sleep(1)
            case "exit":
                sys.exit(3)
            case "broken":
                gone = lambda: open("/no/such/file")  # noqa: E731
                sys.modules["torch"] = SimpleNamespace(cuda=SimpleNamespace(is_initialized=lambda: True,
                                                                            synchronize=gone))
                raise RuntimeError("an illegal memory access")
            case "print":
                print("more than a pipe holds" * 10_000)
                print("and more", file=sys.stderr)
            case "raise":
                raise LookupError("nothing is there")
            case "memory":
                raise MemoryError("too much")
            case "result":
                return "a result"
            case "delta":
                return timedelta(seconds=seconds / 2)
            case "events":
                return Event(7.0), Event(7.0 + seconds / 4 * 1e3)
        return seconds

    def check(configuration):
        assert ran == [configuration]
        assert configuration["HOW"] != "assert", "it is not what it was to be"
        return True if configuration["HOW"] == "true" else "wrong by far" if configuration["HOW"] == "wrong" else None

    return run, check


many = at.Tunable(name="many_ends", version="1", problem={"n": 1000, "where": "here"},
                  parameters={"STEP": [1, 2], "HOW": ["plain", "crash", "hang", "exit", "raise", "print", "broken",
                                                      "memory", "result", "delta", "events", "assert", "true",
                                                      "wrong"]},
                  rules=['HOW == "plain" || STEP == 1'], make=make)
steps = at.Tunable(name="steps", version="1", problem={"n": 1000, "x": 0.5, "is_fast": True},
                   parameters={"STEP": [1, 2, 3]},
                   make=lambda problem: lambda configuration: problem["n"] * problem["x"] / 1e6 / configuration["STEP"])
failing = at.Tunable(name="failing", version="1", parameters={"A": [1]}, make=lambda problem: 1 // 0)
timed = at.Tunable(name="timed", version="1", parameters={"MS": [2, 1]},
                   make=lambda problem: lambda configuration: time.sleep(configuration["MS"] / 1e3))
