"""Work of a program's own is tuned as kernels are: compressing in pieces, by threads. It needs no kernel and no GPU.

    pip install cuattune
    python main.py
    attune tune --program "python -m cuattune.serve main.py:compressing" --problem "kilobytes=128"
"""

import random
import zlib
from concurrent.futures import ThreadPoolExecutor

import cuattune as at


def make(problem):
    """Returns the work for a problem, and its check. A worker process calls this once, so that its data are here."""
    data = random.Random(1).randbytes(problem["kilobytes"] * 512).hex().encode()
    pools = {threads: ThreadPoolExecutor(threads) for threads in (1, 2, 4)}
    result = []

    def run(configuration):
        size = configuration["PIECE"] * 1024
        pieces = [data[at:at + size] for at in range(0, len(data), size)]
        result[:] = pools[configuration["THREADS"]].map(zlib.compress, pieces)

    def check(configuration):
        assert b"".join(map(zlib.decompress, result)) == data, "it is not what was compressed"

    return run, check


# A global name, by which worker processes find it.
compressing = at.Tunable(name="compress_in_pieces", version="1", problem={"kilobytes": 256},
                         parameters={"PIECE": [256, 4, 16, 64], "THREADS": [1, 2, 4]},
                         rules=["PIECE * THREADS <= kilobytes || THREADS == 1"], make=make)

# Worker processes import this file, and stop here.
if __name__ == "__main__":
    print("before:", at.find(compressing, kilobytes=128).why)
    print(at.tune(compressing, kilobytes=128, limit="2s"))

    # Later runs only ask what is known.
    known = at.find(compressing, kilobytes=128)
    print("after:", known.why)
    run, check = make({"kilobytes": 128})
    run(known.configuration)
    check(known.configuration)
    print("correct")
