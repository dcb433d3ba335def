"""Kernels as PyTorch operators: on the GPU where there is one, else on the host device."""

import os

import pytest

torch = pytest.importorskip("torch")

import cuattune as at  # noqa: E402

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def pointwise(name: str, out: str, ins: list[str], expression: str) -> str:
    """Returns the text of a kernel file: out[i] = expression, of vectors."""
    arrays = "".join(f'{one} = {{ type = "T", size = "n", role = "in" }}\n' for one in ins)
    return f"""/*attune
[kernel]
name = "{name}"
[problem]
n = {{ size = 1024 }}
T = ["float", "double"]
[parameters]
BLOCK = [64, 128]
[[launch]]
entry = "{name}<T, BLOCK>"
grid = ["ceil_div(n, BLOCK)"]
block = ["BLOCK"]
arguments = ["{out}", {", ".join(f'"{one}"' for one in ins)}, "n"]
[arguments]
{out} = {{ type = "T", size = "n", role = "out" }}
{arrays}n = {{ type = "int64" }}
*/
template <typename T, int BLOCK>
__global__ void {name}(T* {out}, {", ".join(f"const T* {one}" for one in ins)}, long long n) {{
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK + threadIdx.x;
  if (i < n) {out}[i] = {expression};
}}
"""


SQUARE = pointwise("square", "out", ["in"], "in[i] * in[i]")
SQUARE_BACKWARD = pointwise("square_backward", "grad_in", ["grad_out", "in"], "2 * in[i] * grad_out[i]")


@pytest.fixture(scope="module")
def softmax():
    return at.kernel("softmax").torch_op("tested::softmax")


@pytest.fixture(scope="module")
def square():
    return at.kernel(SQUARE).torch_op("tested::square", backward=at.kernel(SQUARE_BACKWARD))


def normal(*shape, dtype=torch.float32):
    return torch.randn(*shape, device=DEVICE).to(dtype)


def test_a_gpu_is_there_where_it_must_be():
    assert DEVICE == "cuda" or os.environ.get("ATTUNE_REQUIRE_GPU") != "1"


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_an_operator_computes(softmax, dtype):
    x = normal(3, 5, 130, dtype=dtype)
    y = softmax(x)
    assert y.dtype == dtype and y.shape == x.shape and y.device == x.device
    torch.testing.assert_close(y, torch.softmax(x.float(), -1).to(dtype), atol=1e-3, rtol=2e-2)


def test_inputs_may_be_strided_and_empty(softmax):
    x = normal(130, 6)
    torch.testing.assert_close(softmax(x.t()), torch.softmax(x.t(), -1))
    assert softmax(normal(0, 6)).shape == (0, 6)


def test_the_schema_follows_from_the_kernel_file(softmax):
    assert str(softmax.op._schema) == (
        'tested::softmax(Tensor in_, *, str DATA="Data::logits") -> Tensor')
    axpy = at.kernel("axpy").torch_op("tested::axpy")
    assert str(axpy.op._schema) == "tested::axpy(Tensor(a0!) y, Tensor x, Scalar a) -> ()"
    y = torch.ones(10, device=DEVICE)
    assert axpy(y, torch.ones(10, device=DEVICE), 2.0) is None
    assert (y == 3).all()
    argmax, x = at.kernel("argmax").torch_op("tested::argmax"), normal(2, 3, 50)
    assert torch.equal(argmax(x, I="int64"), x.argmax(-1))


def test_opcheck(softmax, square):
    torch.library.opcheck(softmax.op, (normal(4, 100),))
    torch.library.opcheck(square.op, (normal(100).requires_grad_(),))
    axpy = at.kernel("axpy").torch_op("tested::axpy2")
    torch.library.opcheck(axpy.op, (normal(10), normal(10), 2.0))
    argmax = at.kernel("argmax").torch_op("tested::argmax2")
    torch.library.opcheck(argmax.op, (normal(4, 100),), {"I": "int64"})


def test_gradients(square):
    x = normal(50, dtype=torch.float64).requires_grad_()
    square(x).sum().backward()
    torch.testing.assert_close(x.grad, 2 * x.detach())
    torch.autograd.gradcheck(square, (normal(5, dtype=torch.float64).requires_grad_(),))
    other = at.kernel(SQUARE_BACKWARD.replace("grad_out", "grad_y"))
    with pytest.raises(at.UsageError, match="`grad_y` is none of grad_out, in, out"):
        at.kernel(SQUARE).torch_op("tested::square2", backward=other)


def test_what_an_operator_changes_is_noticed():
    axpy, one = at.kernel("axpy").torch_op("tested::axpy3"), torch.ones(3, device=DEVICE)
    b = torch.ones(3, device=DEVICE, requires_grad=True) * 3
    c = b * b
    axpy(b.detach(), one, 1.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        c.sum().backward()
    with pytest.raises(at.UsageError, match="changes `y`, which requires a gradient"):
        axpy(b, one, 1.0)
    with torch.inference_mode():
        axpy(torch.ones(3, device=DEVICE), one, 1.0)


def test_names_of_operators_and_gradients_are_checked(square):
    kernel, backward = at.kernel(SQUARE), at.kernel(SQUARE_BACKWARD)
    for name in ("square", "a::b::c", "mine::é", "class::square", "mine::__init__", "mine::name"):
        with pytest.raises(at.UsageError, match="no name of an operator"):
            kernel.torch_op(name)
    with pytest.raises(at.UsageError, match="operator already"):
        kernel.torch_op("aten::add")
    with pytest.raises(at.UsageError, match="backward is a Kernel, got str"):
        kernel.torch_op("tested::square3", backward="square_backward.cu")
    with pytest.raises(at.UsageError, match="output `grad_y` is the gradient of no input: expected grad_in"):
        kernel.torch_op("tested::square4", backward=at.kernel(SQUARE_BACKWARD.replace("grad_in", "grad_y")))
    assert kernel.torch_op("tested::square5", backward=backward.torch_op("tested::other")) is not None


def test_modules_with_operators_are_copied_and_saved(square, tmp_path):
    class Module(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.op = square

        def forward(self, x):
            return self.op(x)

    import copy
    import pickle

    x = normal(5)
    for module in (copy.deepcopy(Module()), copy.copy(Module())):
        torch.testing.assert_close(module(x), x * x)
    assert pickle.loads(pickle.dumps(square)) is square


def test_conjugates_are_resolved_or_refused():
    text = SQUARE.replace('T = ["float", "double"]\n', "").replace("<T, BLOCK>", "<float2, BLOCK>")
    text = text.replace('type = "T"', 'type = "float2"').replace("in[i] * in[i]", "in[i]")
    kernel = at.kernel(text)
    x = torch.randn(5, dtype=torch.complex64, device=DEVICE)
    torch.testing.assert_close(kernel(x), x)
    with pytest.raises(at.UsageError, match="`in`: its conjugation is not done yet"):
        kernel(x.conj())


def test_it_compiles_without_a_break_and_once(softmax):
    from torch._dynamo.testing import CompileCounterWithBackend

    counter = CompileCounterWithBackend("inductor" if DEVICE == "cuda" else "aot_eager")
    compiled = torch.compile(lambda x: softmax(x * 2) + 1, fullgraph=True, dynamic=True, backend=counter)
    for rows, columns in ((3, 100), (4, 101), (7, 64), (9, 200)):
        x = normal(rows, columns)
        torch.testing.assert_close(compiled(x), torch.softmax(x * 2, -1) + 1)
    assert counter.frame_count == 1


def test_a_cell_of_a_notebook_runs_twice():
    for sign in ("", "-"):
        op = at.kernel(SQUARE.replace("= in[i]", f"= {sign}in[i]")).torch_op("tested::again")
        assert op(torch.full((3,), 2.0, device=DEVICE))[0] == (4 if sign == "" else -4)


def test_wrong_arguments_are_named(softmax):
    with pytest.raises(at.UsageError, match="`in`: expected T = float, bfloat16, half, got int64"):
        softmax(torch.ones(2, 3, device=DEVICE, dtype=torch.int64))
    with pytest.raises(at.UsageError, match="no name of an operator: expected one such as mine::softmax"):
        at.kernel("softmax").torch_op("softmax")
    kernel = at.kernel("softmax")
    with pytest.raises(at.UsageError, match="contiguous"):
        kernel(normal(8, 6).t())


def test_why_and_compare(softmax):
    x = normal(64, 256)
    assert "softmax" in softmax.why(x)
    compared = at.compare(softmax, lambda t: torch.softmax(t, -1), x, seconds=0.5)
    assert compared.difference < 1e-5 and compared.rows[0].name == "lambda"
