"""RMS norm and its gradient as a PyTorch operator: eager, in a compiled model, tuned, compared with PyTorch's own.

    pip install "cuattune[cu13]" torch
    python main.py                       # on the GPU if PyTorch sees one, else on the CPU by the host device
"""

from pathlib import Path

import torch
from torch.nn import functional

import cuattune as at

HERE = Path(__file__).parent
ON_GPU = torch.cuda.is_available()
DEVICE, DTYPE = ("cuda", torch.bfloat16) if ON_GPU else ("cpu", torch.float32)
ROWS, COLUMNS = (8192, 4096) if ON_GPU else (16, 96)

backward = at.kernel(HERE / "rms_norm_backward.cu")
rms_norm = at.kernel(HERE / "rms_norm.cu").torch_op("mine::rms_norm", backward=backward)
print(rms_norm)


# Five lines put the kernel into a model.
class RMSNorm(torch.nn.Module):
    def __init__(self, columns: int, eps: float = 1e-6):
        super().__init__()
        self.weight, self.eps = torch.nn.Parameter(torch.ones(columns)), eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return rms_norm(x, self.weight, self.eps)


def theirs(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    return functional.rms_norm(x, (COLUMNS,), weight, eps)


torch.manual_seed(1)
model = torch.nn.Sequential(RMSNorm(COLUMNS), torch.nn.Linear(COLUMNS, COLUMNS)).to(DEVICE, DTYPE)
x = torch.randn(2, ROWS // 2, COLUMNS, device=DEVICE, dtype=DTYPE)
weight = torch.rand(COLUMNS, device=DEVICE, dtype=DTYPE)
torch.testing.assert_close(rms_norm(x, weight, 1e-6), theirs(x, weight, 1e-6))
compiled = torch.compile(model, fullgraph=True)  # the graph has no break at the operator
torch.testing.assert_close(compiled(x), model(x))

# The gradients, beside those of PyTorch in double precision.
change = torch.randn_like(x)
ours = [one.clone().requires_grad_() for one in (x, weight)]
exact = [one.double().requires_grad_() for one in (x, weight)]
rms_norm(*ours, 1e-6).backward(change)
theirs(*exact, 1e-6).backward(change.double())
for one, other in zip(ours, exact):
    torch.testing.assert_close(one.grad, other.grad.to(DTYPE))

# Both kernels are tuned for these sizes; the operator takes the result up at once.
print(at.tune(rms_norm, x, weight, limit="20s" if ON_GPU else "5s"))
print(at.tune(backward, change, x, weight, limit="20s" if ON_GPU else "5s"))
print(rms_norm.why(x, weight))
print(at.compare(rms_norm, {"torch": theirs}, x, weight, 1e-6))
torch.testing.assert_close(rms_norm(x, weight, 1e-6), theirs(x, weight, 1e-6))
print("correct")
