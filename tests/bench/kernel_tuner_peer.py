"""The side of Kernel Tuner, run by tuning_rate with an interpreter that has it.

    python kernel_tuner_peer.py space KERNEL SIZES MULTIPROCESSORS
    python kernel_tuner_peer.py tune KERNEL SIZES SECONDS KERNELS_FOLDER

KERNEL and SIZES ('{"n": 16777216}') choose from kernel_tuner_spaces.py. `space` needs no GPU: it prints one JSON object
per legal configuration, with the name of what is compiled for it, its grid and its block. `tune` prints one in all:
{"space", "tried", "failed", "seconds", "compile_seconds", "verification_seconds", "benchmark_seconds", "images"}.

Everything is at Kernel Tuner's default (7 launches per configuration, their mean; sequential runner; output verified
once per configuration) with its CuPy backend, but the order: random instead of as listed, since what is tried within a
limit of time shall be like the rest.
"""

import contextlib
import importlib.metadata
import json
import os
import sys
import time
from pathlib import Path

from kernel_tuner import tune_kernel, util
from kernel_tuner.searchspace import Searchspace

from kernel_tuner_spaces import KERNEL_THREADS, KERNELS


def print_space(kernel, sizes, multiprocessors):
    given = KERNELS[kernel](json.loads(sizes), int(multiprocessors))
    names = list(given["block_size_names"])
    util.append_default_block_size_names(names)  # as tune_kernel() does
    with contextlib.redirect_stdout(sys.stderr):
        space = Searchspace(given["tune_params"], given["restrictions"], KERNEL_THREADS)
    for row in space.list:
        values = dict(zip(given["tune_params"], row))
        grid_div = (given["grid_div_x"], None, None)
        threads, grid = util.setup_block_and_grid(given["problem_size"], grid_div, values, names)
        entry = util.replace_param_occurrences(given["kernel_name"], values)
        print(json.dumps({"configuration": values, "entry": entry, "grid": grid, "block": threads}))


def tune(kernel, sizes, seconds, folder):
    import cupy

    multiprocessors = cupy.cuda.runtime.getDeviceProperties(0)["multiProcessorCount"]
    given = KERNELS[kernel](json.loads(sizes), multiprocessors)
    source = Path(folder) / f"{kernel}.cu"
    begin = time.perf_counter()
    with contextlib.redirect_stdout(sys.stderr):
        results, environment = tune_kernel(
            kernel_source=source.read_text(encoding="utf-8"), lang="CUPY", defines={}, quiet=True, seed=1,
            compiler_options=["-std=c++17", f"-I{folder}"], strategy="random_sample",
            strategy_options={"fraction": 1.0, "time_limit": float(seconds)}, **given)
    took = time.perf_counter() - begin
    space = Searchspace(given["tune_params"], given["restrictions"], KERNEL_THREADS)
    cache = Path(os.environ["CUPY_CACHE_DIR"])
    total = {name: sum(result[f"{name}_time"] for result in results) / 1e3
             for name in ("compile", "verification", "benchmark")}
    print(json.dumps({
        "space": space.size,
        "tried": len(results),
        "failed": sum("__error__" in result for result in results),
        "seconds": took,
        **{f"{name}_seconds": value for name, value in total.items()},
        "images": sum(1 for path in cache.rglob("*") if path.is_file()),
        "best_ms": min((result["time"] for result in results if "__error__" not in result), default=None),
        "best": str(environment.get("best_config")),
        "versions": {name: importlib.metadata.version(name) for name in ("kernel_tuner", "numpy", "python-constraint2")}
        | {"cupy": cupy.__version__},
    }))


if __name__ == "__main__":
    {"space": print_space, "tune": tune}[sys.argv[1]](*sys.argv[2:])
