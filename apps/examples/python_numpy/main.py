"""A kernel file on NumPy arrays: launched, refused, tuned, and its wisdom handed on. The host device (the CPU) runs it.

    pip install cuattune numpy
    python main.py
"""

import tempfile
from pathlib import Path

import numpy as np

import cuattune as at

FILE = Path(__file__).with_name("row_softmax.cu")
softmax = at.kernel(FILE)
x = np.random.default_rng(seed=1).standard_normal((64, 300), dtype=np.float32)

# Sizes and type follow from the array, and the call makes the output.
y = softmax(x)
print(f"{softmax.name}: {softmax.summary}; {y.dtype} {y.shape}")

# A call launches at once: what was tuned for these sizes, or near them, else the default.
print("before:", softmax.why(x))
try:
    softmax(x.astype(np.int32))
except at.UsageError as error:
    print("refused:", error)

# Tuning runs in worker processes, and the database ($ATTUNE_DB, else the user's own) keeps what was found.
print(at.tune(softmax, x, limit="5s"))
print("after:", softmax.why(x))

# What was found here serves elsewhere: as a file, in the database of another machine.
with tempfile.TemporaryDirectory() as folder:
    file, other = Path(folder) / "wisdom.json", Path(folder) / "other.db"
    at.wisdom.export(file, softmax)
    print(at.wisdom.import_(file, db=other))
    print("there:", at.kernel(FILE, database=other).why(x))

powers = np.exp(x - x.max(axis=1, keepdims=True))
np.testing.assert_allclose(softmax(x), powers / powers.sum(axis=1, keepdims=True), rtol=1e-5)
print("correct")
