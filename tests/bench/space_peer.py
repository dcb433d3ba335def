"""The side of the peers, run by space_vs_peers with the interpreter of their environment.

    python space_peer.py construct kernel_tuner|pyatf DEFINITION.json LIMIT_SECONDS

`construct` builds one space once and prints {"ms": ..., "count": ...}. Timed is the peer's constructor alone: not its
import, not the reading of the definition, not (pyATF) the making of the lambdas. After LIMIT_SECONDS of construction
the process ends by SIGALRM.
"""

import ast
import contextlib
import json
import signal
import sys
import time

# What Kernel Tuner finds on any CUDA device. It adds block_size_x * block_size_y * block_size_z <= MAX_THREADS by
# itself where parameters have these names; the published definitions state that rule too, so it changes no count.
MAX_THREADS = 1024


def read_definition(path):
    """The values by parameter, in the order of the file, and the rules as (expression, names of parameters)."""
    with open(path, encoding="utf-8") as file:
        space = json.load(file)["ConfigurationSpace"]
    values = {p["Name"]: list(ast.literal_eval(p["Values"])) for p in space["TuningParameters"]}
    rules = [(c["Expression"], c["Parameters"]) for c in space["Conditions"]]
    return values, rules


def kernel_tuner(values, rules):
    """As tune_kernel() does it: restrictions as strings, everything else by default."""
    from kernel_tuner.searchspace import Searchspace

    restrictions = [expression for expression, _ in rules]
    return lambda: Searchspace(values, restrictions, MAX_THREADS), lambda space: len(space.list)


def rule_of(parameter, names, rules):
    """The rules whose last parameter is this one, in one function: pyATF takes one per parameter, of earlier ones."""
    mine = [(expression, used) for expression, used in rules if max(used, key=names.index) == parameter]
    if not mine:
        return None
    arguments = [name for name in names if any(name in used for _, used in mine)]
    body = " and ".join(f"({expression})" for expression, _ in mine)
    return eval(compile(f"lambda {', '.join(arguments)}: {body}", f"<rule of {parameter}>", "eval"))


def pyatf(values, rules):
    """As Tuner does it with its default search technique: without access by one index."""
    from pyatf import TP, Set
    from pyatf.search_space import SearchSpace

    names = list(values)
    parameters = [TP(name, Set(*values[name]), rule_of(name, names, rules)) for name in names]
    return lambda: SearchSpace(*parameters, enable_1d_access=False, verbosity=0), lambda space: space.constrained_size


def construct(peer, definition, limit_seconds):
    values, rules = read_definition(definition)
    with contextlib.redirect_stdout(sys.stderr):
        build, count = {"kernel_tuner": kernel_tuner, "pyatf": pyatf}[peer](values, rules)
        # The default action of SIGALRM ends the process even inside compiled code, and counts from after the imports.
        signal.setitimer(signal.ITIMER_REAL, float(limit_seconds))
        begin = time.perf_counter_ns()
        space = build()
        elapsed = time.perf_counter_ns() - begin
        signal.setitimer(signal.ITIMER_REAL, 0)
        return {"ms": elapsed / 1e6, "count": count(space)}


if __name__ == "__main__":
    answer = {"construct": construct}[sys.argv[1]](*sys.argv[2:])
    print(json.dumps(answer), flush=True)
