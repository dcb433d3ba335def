"""The rule of outputs' shapes for symbols gives what the extension gives for arrays."""

import numpy as np
import pytest

import cuattune as at
from cuattune._shapes import output_shapes

CASES = [
    ("softmax", {"in": (4, 64)}, {}),
    ("softmax", {"in": (2, 3, 64)}, {}),
    ("softmax", {"in": (256,)}, {"rows": 4}),
    ("argmax", {"in": (2, 3, 64)}, {}),
    ("rowsum", {"in": (5, 7)}, {}),
    ("transpose", {"in": (32, 64)}, {}),
    ("layernorm", {"in": (2, 4, 64), "weight": (64,), "bias": (64,)}, {"eps": 1e-5}),
    ("matmul", {"c": (16, 32), "a": (16, 8), "b": (8, 32)}, {"alpha": 1, "beta": 0}),
    ("gemm_tensor", {"a": (2, 16, 32), "b": (64, 32)}, {}),
    ("reduce", {"in": (100,)}, {}),
]


@pytest.mark.parametrize("name, shapes, sizes", CASES)
def test_shapes_agree(name, shapes, sizes):
    kernel = at.kernel(name)
    element = {one["name"]: one["type"] for one in kernel.arguments}
    types = {"float": "f4", "double": "f8", "int32": "i4", "half": "f2", "uint8": "u1"}
    problem = kernel.problem

    def dtype(argument):
        of = element[argument]
        listed = problem[of] if of in problem else [of]
        return next(types[one] for one in listed if one in types)

    arrays = {one: np.zeros(shape, dtype(one)) for one, shape in shapes.items()}
    made = kernel(**arrays, **sizes)
    made = made if isinstance(made, tuple) else () if made is None else (made,)
    assert [one.shape for one in made] == list(output_shapes(kernel.arguments, shapes, sizes).values())


def test_what_does_not_follow_is_an_error():
    arguments = at.kernel("nbody").arguments
    with pytest.raises(at.UsageError, match="`out`: its shape does not follow from `size = "):
        output_shapes(arguments, {"bodies": (4, 100)}, {})
