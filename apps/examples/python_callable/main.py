"""Work of a program's own is tuned as kernels are: compressing in pieces, by threads. It needs no kernel and no GPU.

    pip install cuattune
    python main.py
    attune tune --program "python -m cuattune.serve main.py:compressing" --problem "kilobytes=512"
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
compressing = at.Tunable(name="compress_in_pieces", version="1", problem={"kilobytes": 1024},
                         parameters={"PIECE": [1024, 16, 64, 256], "THREADS": [1, 2, 4]},
                         rules=["PIECE * THREADS <= kilobytes || THREADS == 1"], make=make)

# Worker processes import this file, and stop here.
if __name__ == "__main__":
    print("before:", at.find(compressing, kilobytes=512).why)
    print(at.tune(compressing, kilobytes=512, limit="3s"))

    # Later runs only ask what is known.
    known = at.find(compressing, kilobytes=512)
    print("after:", known.why)
    run, check = make({"kilobytes": 512})
    run(known.configuration)
    check(known.configuration)
    print("correct")
