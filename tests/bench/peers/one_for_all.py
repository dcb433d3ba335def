"""What one configuration for all problems of a kernel would lose against tuning each: for `measure --one-for-all`.

Each problem's tuned configuration is sampled at all problems of its kernel (`attune bench -c ... --over record`). The
best single one has the least geometric mean of slowdowns; where it is not legal, the kernel's default takes its place.
"""

import math

from peers import markdown


def text_of(configuration):
    """As attune reads it."""
    return " ".join(f"{name}={str(value).lower() if isinstance(value, bool) else value}"
                    for name, value in configuration.items())


def tuned(one):
    """The configuration of the problem's record as text; None without one."""
    found = [row for row in one.get("rows", []) if row["name"] == "record" and "configuration" in row]
    return text_of(found[0]["configuration"]) if found else None


def groups(problems):
    """The problems that were tuned, by kernel and element type; only where there are at least two."""
    by_kernel = {}
    for one in problems:
        if tuned(one):
            kind = next((word for word in one["problem"].split() if word.startswith("T=")), "")
            by_kernel.setdefault((one["kernel"], kind), []).append(one)
    return [group for group in by_kernel.values() if len(group) > 1]


def slowdowns(rows, candidates):
    """By configuration, how many times as long it takes as the record, and as the default under None."""
    timed = {text_of(row["configuration"]): 1 / row["speedup"]
             for row in rows if "speedup" in row and row.get("configuration") and row["name"] != "record"}
    # A default that fails counts as the worst that ran.
    default = next((1 / row["speedup"] for row in rows if row["name"] == "default" and "speedup" in row),
                   max(timed.values(), default=1.0))
    return {None: default, **{candidate: timed.get(candidate, default) for candidate in candidates}}


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def compare(group, bench, is_legal):
    """Adds "one_for_all" to each problem. `bench(problem, options)` runs `attune bench` with more options and returns its
    rows; `is_legal(problem, configuration)` asks whether that may be one of them."""
    candidates = list(dict.fromkeys(tuned(one) for one in group))
    for one in group:
        others = [word for candidate in candidates if candidate != tuned(one) and is_legal(one, candidate)
                  for word in ("-c", candidate)]
        found = slowdowns(bench(one, others), candidates)
        found[tuned(one)] = 1.0
        one["one_for_all"] = {"default": found.pop(None), "candidates": found}


def report(problems):
    """A table for each kernel that was compared."""
    for group in groups([one for one in problems if "one_for_all" in one]):
        means = {candidate: geometric_mean([one["one_for_all"]["candidates"][candidate] for one in group])
                 for candidate in group[0]["one_for_all"]["candidates"]}
        best = min(means, key=means.get)
        rows = [["problem", "default / tuned", "best single / tuned"]]
        rows += [[one["problem"], f"{one['one_for_all']['default']:.2f}", f"{one['one_for_all']['candidates'][best]:.2f}"]
                 for one in group]
        defaults = geometric_mean([one["one_for_all"]["default"] for one in group])
        rows.append(["geometric mean", f"{defaults:.2f}", f"{means[best]:.2f}"])
        yield from [f"`{group[0]['kernel']}`, one configuration for all: {best}", "", *markdown(rows), ""]
