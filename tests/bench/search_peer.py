"""Kernel Tuner's search strategies on a recording, run by search_vs_peers with the interpreter of their environment.

    python search_peer.py < TASK

TASK is one JSON object: `file` (a Kernel Tuner cache, plain, .gz or .xz), `strategy`, `repeats` (numbers), `seed`,
`evaluations` (a run makes at least so many, and goes on to the end of the methodology's budget of seconds) and `limit`
(seconds of processor time for one run). Prints one JSON object per repeat: {"file", "strategy", "repeat", "rows",
"seconds", "ended", "cpu_seconds"}; `rows` are positions in the recording, first visits only, in the order of
evaluation, `seconds` what they cost as recorded, `ended` is "budget", "strategy" (it stopped by itself before that),
"time limit", or an error.

A run is put together as kernel_tuner.tune_kernel(simulation_mode=True) does it, from the same parts, with these
differences: the search space is exactly what was recorded, failed configurations included (tune_cache() would hide
those from the strategies); an evaluation costs what the methodology says it costs; the budget counts these costs alone,
not the time that the strategy itself takes, so that a run can be repeated and a slow strategy loses nothing by it; and
hybrid_vndx predicts by a quicker way to the same numbers.
"""

import contextlib
import functools
import gzip
import json
import lzma
import math
import os
import random
import signal
import statistics
import sys
import time
import warnings
from datetime import timedelta
from pathlib import Path

# Before numpy is loaded: jobs run side by side, and sums that depend on the number of threads could not be repeated.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy  # noqa: E402
import scipy.stats.qmc  # noqa: E402, F401  Strategies load it while they run, and loading draws random numbers.
from kernel_tuner import util  # noqa: E402
from kernel_tuner.interface import Options, strategy_map  # noqa: E402
from kernel_tuner.runners.simulation import SimulationRunner  # noqa: E402
from kernel_tuner.searchspace import Searchspace  # noqa: E402
from kernel_tuner.strategies.gen_hybrid_vndx import HybridVNDX  # noqa: E402

# Every option is at its default, but these three would stop at 100 evaluations or a tenth of the space unless they are
# told `max_fevals`: they are told the size of the space. Simulated annealing would fit its schedule to `max_fevals` and
# then stop at three quarters of it; it does better without (0.970 against 0.950 of the optimum after 400 evaluations).
TOLD_SIZE = ("bayes_opt", "greedy_ils", "random_sample")


# The methodology's end of a search (Willemsen et al., FGCS 2024): where random search is expected to have come 95 % of
# the way from the median to the optimum; the budget is a tenth more.
CUTOFF_END, CUTOFF_START, MARGIN = 0.95, 0.01, 1.1


class OutOfTime(BaseException):
    """Not an Exception: no strategy may catch it."""


def read_text(path):
    opener = {".xz": lzma.open, ".gz": gzip.open}.get(Path(path).suffix, open)
    with opener(path, "rt", encoding="utf-8") as file:
        text = file.read().strip()
    # The file of a run that was cut short lacks its end; Kernel Tuner reads it all the same.
    return text if text.endswith("}\n}") or text.endswith("}}") else text.rstrip(",") + "}\n}"


def milliseconds(entry, key):
    value = entry.get(key, 0)
    return value if isinstance(value, (int, float)) and math.isfinite(value) else 0


def failure(entry):
    """How a configuration failed, as Kernel Tuner's value for it; None for a measured one."""
    for value in entry.values():
        if isinstance(value, str) and value in ("InvalidConfig", "CompilationFailedConfig", "RuntimeFailedConfig"):
            return getattr(util, value)()
    measured = entry.get("time")
    if not isinstance(measured, (int, float)) or not math.isfinite(measured) or measured == 1e20:
        return util.RuntimeFailedConfig()
    return None


def read_recording(path):
    """The values by parameter and Kernel Tuner's cache: a result by key, with its position in the file as `row`."""
    recording = json.loads(read_text(path))
    names = recording["tune_params_keys"]
    values = {name: recording["tune_params"][name] for name in names}
    cache = {}
    for entry in recording["cache"].values():
        result = {name: entry[name] for name in names} | {"row": len(cache)}
        compile_ms, check_ms = milliseconds(entry, "compile_time"), milliseconds(entry, "verification_time")
        # Kernel Tuner's simulation charges the sum of these three; the methodology, the sum of all that was recorded.
        rest_ms = milliseconds(entry, "framework_time") + milliseconds(entry, "strategy_time")
        rest_ms += sum(entry.get("times") or [])
        result |= {"compile_time": compile_ms, "verification_time": check_ms, "benchmark_time": rest_ms}
        failed = failure(entry)
        result |= {"time": entry["time"]} if failed is None else {"time": failed, "__error__": failed}
        cache[",".join(str(entry[name]) for name in names)] = result
    return values, cache


def cost_ms(result):
    return result["compile_time"] + result["verification_time"] + result["benchmark_time"]


def expected_draws(descending, share):
    """After how many draws random search is expected to have come this share of the way from median to optimum."""
    optimum = descending[-1]
    wanted = optimum + (statistics.median(descending) - optimum) * (1 - share)
    first = next(i for i, value in enumerate(descending) if value <= wanted)
    first -= descending[first] == optimum
    return math.ceil(first / (len(descending) + 1 - first))


def budget_seconds(cache):
    descending = sorted((result["time"] for result in cache.values() if "__error__" not in result), reverse=True)
    draws, start = expected_draws(descending, CUTOFF_END), expected_draws(descending, CUTOFF_START)
    draws += draws - start < 2  # the two ends of the span are kept apart
    return MARGIN * draws * statistics.median(map(cost_ms, cache.values())) / 1e3


class Budget(util.TuningBudget):
    """Spent when both the seconds and the evaluations are, or when nothing is left to evaluate."""

    def __init__(self, seconds, evaluations, size):
        super().__init__(time_limit=seconds, max_fevals=size)
        self.evaluations = min(evaluations, size)

    def get_time_spent(self):
        return self.time_spent_extra

    def is_done(self):
        enough = self.num_fevals >= self.evaluations and self.time_spent_extra >= self.time_limit
        return enough or self.num_fevals >= self.max_fevals

    def raise_exception_if_done(self):
        if self.is_done():
            raise util.StopCriterionReached("the budget is spent")

    def get_fraction_consumed(self):
        both = min(self.num_fevals / self.evaluations, self.time_spent_extra / self.time_limit)
        return min(1.0, max(both, self.num_fevals / self.max_fevals))

    def seconds_spent(self):
        return self.time_spent_extra / timedelta(seconds=1)


class Recorder(SimulationRunner):
    """Notes the rows of first visits, also of a run that ends in an error."""

    def __init__(self):
        super().__init__(None, Options(kernel_name="recorded"), Options(quiet=True), 1, None)
        self.rows = {}

    def run(self, parameter_space, tuning_options):
        results = super().run(parameter_space, tuning_options)
        self.rows |= {result["row"]: None for result in results if result and "row" in result}
        return results


class Predictor:
    """HybridVNDX.knn_predict, which takes minutes in plain Python: the same neighbours in the same order."""

    def __init__(self, space):
        self.positions = [{value: i for i, value in enumerate(values)} for values in space.tune_params.values()]
        self.known = numpy.empty((len(self.positions), 0), dtype=numpy.int32)
        self.count = 0

    def encode(self, configuration):
        return [positions[value] for positions, value in zip(self.positions, configuration)]

    def __call__(self, wanted, history, k):
        if len(history) > self.known.shape[1]:
            more = numpy.empty((len(self.positions), 2 * len(history)), dtype=numpy.int32)
            more[:, : self.count] = self.known[:, : self.count]
            self.known = more
        for configuration, _ in history[self.count :]:
            self.known[:, self.count] = self.encode(configuration)
            self.count += 1
        differ = self.known[:, : self.count] != numpy.array(self.encode(wanted), dtype=numpy.int32)[:, None]
        nearest = differ.sum(axis=0, dtype=numpy.uint16).argsort(kind="stable")[:k]
        return sum(history[i][1] for i in nearest) / len(nearest)


def knn_predict(self, wanted, history):
    if not hasattr(self, "predictor"):
        self.predictor = Predictor(self.searchspace)
    return self.predictor(wanted, history, self.k)


HybridVNDX.knn_predict = knn_predict


def set_seed(seed, default_rng=numpy.random.default_rng):
    """Kernel Tuner takes no seed here; its strategies and SciPy's draw from these three."""
    random.seed(seed)
    numpy.random.seed(seed)
    numpy.random.default_rng = lambda given=None: default_rng(numpy.random.randint(2**31) if given is None else given)


def run_once(values, cache, strategy, task, repeat):
    tune = strategy_map[strategy].tune  # loads its module, before the seed for the reason above
    set_seed(task["seed"] + repeat)
    seconds = budget_seconds(cache)
    strategy_options = {"max_fevals": len(cache)} if strategy in TOLD_SIZE else {}
    # Its own each time: it keeps what it found of neighbours, and draws from that.
    space = Searchspace(None, None, None, from_cache={"tune_params": values, "cache": cache})
    tuning_options = Options(tune_params=values, cache=cache, metrics=None, verbose=False, seed=None,
                             restrictions=lambda entry: space.is_param_config_valid(tuple(entry.values())),
                             objective=["time"], objective_higher_is_better=[False],
                             strategy_options=Options(strategy_options), **strategy_options)
    tuning_options["budget"] = Budget(seconds, task["evaluations"], space.size)
    runner = Recorder()
    begin, ended = time.process_time(), ""
    signal.setitimer(signal.ITIMER_PROF, task["limit"])
    try:
        tune(space, runner, tuning_options)
        ended = "budget" if tuning_options.budget.is_done() else "strategy"
    except OutOfTime:
        ended = "time limit"
    except Exception as error:  # whatever a strategy does wrong is a result
        ended = f"{type(error).__name__}: {error}"[:300]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return {"rows": list(runner.rows), "seconds": round(tuning_options.budget.seconds_spent(), 6), "ended": ended,
            "cpu_seconds": round(time.process_time() - begin, 3)}


def out_of_time(*_):
    raise OutOfTime


def main():
    task = json.load(sys.stdin)
    signal.signal(signal.SIGPROF, out_of_time)
    warnings.simplefilter("ignore")
    say = functools.partial(print, file=sys.stdout, flush=True)
    with contextlib.redirect_stdout(sys.stderr):
        values, cache = read_recording(task["file"])
        name = Path(task["file"]).name.split(".json")[0]
        for repeat in task["repeats"]:
            trace = run_once(values, cache, task["strategy"], task, repeat)
            say(json.dumps({"file": name, "strategy": task["strategy"], "repeat": repeat} | trace))


if __name__ == "__main__":
    main()
