"""kernels/reduce.cu and kernels/transpose.cu for Kernel Tuner: the same parameters, rules, grids and data as attune's.

Each function gives arguments of tune_kernel() for T = float: the CUDA source as it stands, its template arguments by
name. Parameters are not defined as macros (`defines` is empty), for the source calls its template parameters so.
"""

import numpy

FLOAT_BYTES = 4
KERNEL_THREADS = 1024  # what every CUDA device allows per block


def ceil_div(dividend, divisor):
    return -(-dividend // divisor)


def reduce(sizes, multiprocessors):
    """Of the two kernels of `two_pass`, Kernel Tuner times the first: it launches one per configuration. Without bulk
    loads, whose number and size are arguments of the launch."""
    n = sizes["n"]
    tune_params = {
        "VARIANT": [6, 0, 1, 2, 3, 4, 5],
        "BLOCK": [512, 128, 256, 1024],
        "LOAD": ["Load::registers"],
        "ITEMS": [4, 1, 2, 8, 16],
        "VECTOR": [4, 1, 2, 8],
        "CACHE": ["Cache::plain", "Cache::streaming"],
        "STAGES": [4],
        "STAGE_KIB": [32],
        "WARP": ["Warp::all_shuffle", "Warp::last_shuffle", "Warp::shared"],
        "ALGORITHM": ["Algorithm::published", "Algorithm::zeroed", "Algorithm::ticketed", "Algorithm::last_block",
                      "Algorithm::two_pass", "Algorithm::atomic"],
        "BLOCKS_PER_SM": [4, 0, 1, 2, 8, 16, 32],
    }
    restrictions = [
        "VARIANT == 6 or ITEMS == (1 if VARIANT < 3 else 2)",
        "VARIANT == 6 or (VECTOR == 1 and CACHE == 'Cache::plain' and BLOCKS_PER_SM == 0)",
        "VARIANT == 6 or WARP == 'Warp::shared' or (VARIANT >= 4 and WARP == 'Warp::last_shuffle')",
        f"VECTOR * {FLOAT_BYTES} <= 16",
        f"VARIANT < 6 or (ITEMS * VECTOR * {FLOAT_BYTES}) in [16, 32, 64, 128]",
        "BLOCKS_PER_SM == 0 or (BLOCKS_PER_SM * BLOCK >= 512 and BLOCKS_PER_SM * BLOCK <= 8192)",
        "BLOCKS_PER_SM > 0 or ALGORITHM in ['Algorithm::last_block', 'Algorithm::two_pass']",
    ]

    def blocks(values):
        tiles = ceil_div(n, values["BLOCK"] * values["ITEMS"] * values["VECTOR"])
        return min(tiles, values["BLOCKS_PER_SM"] * multiprocessors if values["BLOCKS_PER_SM"] > 0 else n)

    numbers = numpy.random.default_rng(1).uniform(-1, 1, n).astype(numpy.float32)
    total = numbers.sum(dtype=numpy.float64)
    words = numpy.zeros(ceil_div(n, 128), numpy.uint64)
    epsilon = float(numpy.finfo(numpy.float32).eps)

    def verify(_, results, atol):
        # After `two_pass` the blocks' sums are all there is, in the low halves of words; else the sum is in `out`, which
        # is 0 at the start.
        out, sums = results[0][0], results[3].view(numpy.float32)[::2].sum(dtype=numpy.float64)
        return abs((sums if out == 0 else out) - total) <= atol

    return {
        "kernel_name": "reduce<float, Op::sum, VARIANT, BLOCK, LOAD, ITEMS, VECTOR, CACHE, WARP, ALGORITHM>",
        "problem_size": lambda values: (blocks(values),),
        "grid_div_x": [],
        "block_size_names": ["BLOCK"],
        "arguments": [numpy.zeros(1, numpy.float32), numbers, numpy.int64(n), words, numpy.zeros(1, numpy.uint32),
                      numpy.int32(4), numpy.int32(32 * 1024)],
        "tune_params": tune_params,
        "restrictions": restrictions,
        "answer": [numpy.array([total], numpy.float32), None, None, words, None, None, None],
        "verify": verify,
        # As in reduce.cu: six deviations of the longest chains of roundings, and the trees.
        "atol": epsilon * n ** 0.5 * (8 + (n / 4096 + min(n / 512, 8192)) ** 0.5),
    }


def transpose(sizes, _):
    width, height = sizes["width"], sizes["height"]
    tiles, vectors = [32, 16, 64, 128], [1, 2, 4, 8]
    tune_params = {
        "TILE": tiles,
        "ROWS": [8, 1, 2, 4, 16, 32],
        "VECTOR": vectors,
        "LAYOUT": ["Layout::padded", "Layout::swizzled", "Layout::plain"],
        "ORDER": ["Order::rows", "Order::diagonal", "Order::strips_of_4", "Order::strips_of_16"],
        "CACHE": ["Cache::plain", "Cache::streaming"],
        # The width of a block has to be a parameter; it follows from two others.
        "block_size_x": sorted({tile // vector for tile in tiles for vector in vectors}),
    }
    restrictions = [
        "block_size_x == TILE // VECTOR",
        f"VECTOR * {FLOAT_BYTES} <= 16",
        "TILE % (ROWS * VECTOR) == 0",
        "TILE // VECTOR * ROWS in [64, 128, 256, 512, 1024]",
        "TILE / ROWS <= 16",
        f"TILE / ROWS * VECTOR * {FLOAT_BYTES} <= 128",
        f"TILE * (TILE + VECTOR) * {FLOAT_BYTES} <= 49152",
    ]
    matrix = numpy.random.default_rng(1).uniform(-1, 1, (height, width)).astype(numpy.float32)
    return {
        "kernel_name": "transpose<float, TILE, ROWS, VECTOR, LAYOUT, ORDER, CACHE>",
        "problem_size": lambda values: (ceil_div(width, values["TILE"]) * ceil_div(height, values["TILE"]),),
        "grid_div_x": [],
        "block_size_names": ["block_size_x", "ROWS"],
        "arguments": [numpy.zeros((width, height), numpy.float32), matrix, numpy.int64(width), numpy.int64(height)],
        "tune_params": tune_params,
        "restrictions": restrictions,
        "answer": [numpy.ascontiguousarray(matrix.T), None, None, None],
        "atol": 1e-6,
    }


KERNELS = {"reduce": reduce, "transpose": transpose}
