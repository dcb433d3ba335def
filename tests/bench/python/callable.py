"""What a trial of a callable of Python costs beside the callable.

python3 callable.py [--ms 1]: a session of 400 configurations, each of which is busy for as long. Prints a table of
milliseconds a trial: from the first trial to the last, within the callable, and what is left.
"""

import argparse
import os
import tempfile
import time
from array import array

import cuattune as at


def make(problem):
    log = open(os.environ["CALLS"], "ab", buffering=0)

    def run(_):
        begin = time.perf_counter()
        while time.perf_counter() < begin + problem["ms"] / 1e3:
            pass
        log.write(array("d", [time.perf_counter() - begin]).tobytes())

    return run


busy = at.Tunable(name="busy", version="1", problem={"ms": 1.0}, parameters={"X": list(range(400))}, make=make)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ms", type=float, default=1)
    options = parser.parse_args()
    calls, at_seconds = array("d"), []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ATTUNE_DB"] = os.path.join(folder, "wisdom.db")
        log = os.environ["CALLS"] = os.path.join(folder, "calls")

        def heard(_):
            at_seconds.append((time.perf_counter(), os.path.getsize(log) // 8))

        at.tune(busy, ms=options.ms, strategy="exhaustive", on_trial=heard)
        with open(log, "rb") as file:
            calls.frombytes(file.read())
    (first, before), (last, after) = at_seconds[0], at_seconds[-1]
    trials = len(at_seconds) - 1
    whole, inside = (last - first) * 1e3 / trials, sum(calls[before:after]) * 1e3 / trials
    print("| callable, ms | calls a trial | a trial, ms | within the callable, ms | left, ms |\n|---:|---:|---:|---:|---:|")
    print(f"| {options.ms} | {(after - before) / trials:.1f} | {whole:.2f} | {inside:.2f} | {whole - inside:.2f} |")


if __name__ == "__main__":
    main()
