"""Kernels as PyTorch operators: schema, fake function and gradient from the front matter of the kernel file."""

import keyword
import re
from typing import Any

import torch

from ._kernel import Kernel
from ._native import Operation, UsageError
from ._results import Match
from ._shapes import output_shapes

_DTYPES = {"half": torch.float16, "float": torch.float32, "double": torch.float64, "bfloat16": torch.bfloat16,
           "float2": torch.complex64, "double2": torch.complex128}
_REAL_TYPES = ("half", "float", "double", "bfloat16")
_OF_BACKWARD = "__backward"  # behind the name of an operator, the operator of its gradient
_libraries: dict[str, torch.library.Library] = {}  # by operator, so that a cell of a notebook may run twice
_operators: "dict[str, TorchOperator]" = {}


def _dtype(type_name: str) -> torch.dtype:
    found = _DTYPES.get(type_name) or getattr(torch, type_name, None)
    if not isinstance(found, torch.dtype):
        raise UsageError(f"PyTorch has no dtype for {type_name}")
    return found


def _python_name(name: str) -> str:
    return name + "_" if keyword.iskeyword(name) else name


class _Schema:
    """What the operator takes: arrays and numbers by position, in the file's order; by keyword what the problem has
    beside the arrays."""

    def __init__(self, kernel: Kernel):
        self.arguments = kernel.arguments
        problem = kernel.problem
        self.outputs = [one for one in self.arguments if one["role"] == "out"]
        self.arrays = [one for one in self.arguments if "size" in one and one["role"] != "out"]
        self.positional = [one for one in self.arguments if one["role"] != "out"
                           and ("size" in one or one["name"] not in problem)]
        self.types = {one["type"]: one["name"] for one in reversed(self.arrays) if one["type"] in problem}
        said = {name for one in self.arrays for name in one["names"] or ()}
        self.keywords: dict[str, str] = {}
        for name, default in problem.items():
            if isinstance(default, list):
                if name not in self.types:
                    self.keywords[name] = f'str {name}="{default[0]}"'
            elif name not in said:
                self.keywords[name] = f"SymInt {name}"
        self._problem = problem
        self.text = self._text()

    def _number_kind(self, type_name: str) -> str:
        types = self._problem.get(type_name)
        are_real = {one in _REAL_TYPES for one in (types if isinstance(types, list) else [type_name])}
        return "Scalar" if len(are_real) == 2 else "float" if True in are_real else "SymInt"

    def _text(self) -> str:
        parts = []
        for i, one in enumerate(self.positional):
            mark = f"(a{i}!)" if one["role"] == "inout" else ""
            kind = f"Tensor{mark}" if "size" in one else self._number_kind(one["type"])
            parts.append(f"{kind} {_python_name(one['name'])}")
        if self.keywords:
            parts.append("*")
            parts.extend(sorted(self.keywords.values(), key=lambda text: "=" in text))
        returned = ["Tensor"] * len(self.outputs)
        return f"({', '.join(parts)}) -> {returned[0] if len(returned) == 1 else '(' + ', '.join(returned) + ')'}"


def _checked(name: str, kernel: Kernel) -> tuple[str, str]:
    space, _, short = name.partition("::")
    parts = re.fullmatch(r"[A-Za-z]\w*::[A-Za-z]\w*", name, re.ASCII)
    if not parts or keyword.iskeyword(space) or keyword.iskeyword(short) or short == "name":
        raise UsageError(f"`{name}` is no name of an operator: expected one such as mine::{kernel.name}")
    if name not in _libraries and hasattr(getattr(torch.ops, space), short):
        raise UsageError(f"{name} is an operator already, and not of attune: choose another name")
    return space, short


def _check_backward(backward: Kernel, gradient: _Schema, outputs: list[str], inputs: list[str]) -> None:
    known = {f"grad_{name}" for name in outputs} | set(outputs) | set(inputs)
    for one in gradient.positional:
        if one["name"] not in known:
            raise UsageError(f"{backward.name}: argument `{one['name']}` is none of {', '.join(sorted(known))}")
    for one in gradient.outputs:
        if one["name"] not in {f"grad_{of}" for of in inputs}:
            raise UsageError(f"{backward.name}: output `{one['name']}` is the gradient of no input: expected "
                             f"{', '.join(f'grad_{of}' for of in inputs)}")


def _restored(kernel: Kernel, name: str, backward: Kernel | None) -> "TorchOperator":
    return _operators.get(name) or TorchOperator(kernel, name, backward)


class TorchOperator:
    """A kernel as a PyTorch operator, to be called with tensors: Kernel.torch_op() makes it.

    It takes the input tensors of the kernel by position, then its numbers, and returns its outputs, which it makes.
    Inputs that are not contiguous are copied first. It works under torch.compile, without a break of the graph, in CUDA
    graphs, and on CPU tensors, where the host device runs the kernel. `kernel`: the Kernel. `op`: PyTorch's own object.
    """

    def __init__(self, kernel: Kernel, name: str, backward: Kernel | None = None):
        space, short = _checked(name, kernel)
        self.kernel = kernel
        self.name = name
        self._backward = backward = getattr(backward, "kernel", backward)
        self._schema = _Schema(kernel)
        if not self._schema.arrays:
            raise UsageError(f"{kernel.name} has no inputs: PyTorch calls an operator by its input tensors")
        former = _libraries.pop(name, None)
        if former is not None:
            former._destroy()  # type: ignore[no-untyped-call]
        library = _libraries[name] = torch.library.Library(  # type: ignore[no-untyped-call]
            space, "FRAGMENT")
        tags = (torch.Tag.pt2_compliant_tag, torch.Tag.needs_fixed_stride_order)
        library.define(short + self._schema.text, tags=tags)  # type: ignore[no-untyped-call]
        for key in ("CUDA", "CPU"):
            library.impl(short, self._launch(), key)  # type: ignore[no-untyped-call]
        torch.library.register_fake(name, self._fake, lib=library)
        self.op = getattr(getattr(torch.ops, space), short).default
        if backward is not None:
            self._register_backward(backward, library)
        _operators[name] = self

    def __call__(self, *tensors: Any, **named: Any) -> Any:
        """Launches the kernel on PyTorch's current stream; Kernel describes arguments and errors."""
        return self.op(*tensors, **named)

    def prepare(self, *tensors: Any, **named: Any) -> None:
        """Loads or compiles the best configuration for a call, and waits: Kernel.prepare()."""
        self.kernel.prepare(*tensors, **named)

    def match(self, *tensors: Any, **named: Any) -> Match:
        """Returns what a call would launch, and why: Kernel.match()."""
        return self.kernel.match(*tensors, **named)

    def why(self, *tensors: Any, **named: Any) -> str:
        """Returns the sentence of match()."""
        return self.kernel.why(*tensors, **named)

    def _launch(self) -> Any:
        operation = Operation(self.kernel)
        changed = [i for i, one in enumerate(self._schema.positional) if one["role"] == "inout"]
        if not changed:
            return operation

        def launch(*given: Any, **named: Any) -> Any:
            for i in changed:
                if given[i].requires_grad and torch.is_grad_enabled():
                    name = self._schema.positional[i]["name"]
                    raise UsageError(f"{self.name}: changes `{name}`, which requires a gradient: call it under "
                                     "torch.no_grad()")
            made = operation(*given, **named)
            for i in changed:
                if not given[i].is_inference():
                    torch.autograd.graph.increment_version(given[i])
            return made

        return launch

    def _fake(self, *given: Any, **named: Any) -> Any:
        schema = self._schema
        tensors = {one["name"]: tensor for one, tensor in zip(schema.positional, given) if "size" in one}
        shapes = {name: tensor.shape for name, tensor in tensors.items()}
        sizes = {name: size for name, size in named.items() if size is not None and not isinstance(size, str)}
        first = next(iter(tensors.values()))
        made = []
        for one, shape in zip(schema.outputs, output_shapes(schema.arguments, shapes, sizes).values()):
            of = schema.types.get(one["type"])
            dtype = tensors[of].dtype if of else _dtype(named.get(one["type"]) or self._default_type(one["type"]))
            made.append(torch.empty(shape, dtype=dtype, device=first.device))
        return made[0] if len(made) == 1 else tuple(made) if made else None

    def _default_type(self, type_name: str) -> str:
        types = self.kernel.problem.get(type_name)
        return types[0] if isinstance(types, list) else type_name

    def _register_backward(self, backward: Kernel, library: torch.library.Library) -> None:
        schema = self._schema
        if any(one["role"] == "inout" for one in schema.arrays):
            raise UsageError(f"{self.name}: a kernel that changes its arguments has no backward")
        if not isinstance(backward, Kernel):
            raise UsageError(f"{self.name}: backward is a Kernel, got {type(backward).__name__}")
        gradient = TorchOperator(backward, self.name + _OF_BACKWARD)
        outputs = [one["name"] for one in schema.outputs]
        positional = [one["name"] for one in schema.positional]
        wanted = [one["name"] for one in gradient._schema.positional]
        _check_backward(backward, gradient._schema, outputs, positional)
        saved = [one["name"] for one in gradient._schema.positional
                 if "size" in one and one["name"] in (*positional, *outputs)]
        numbers = [one["name"] for one in gradient._schema.positional if "size" not in one]
        returned = [one["name"].removeprefix("grad_") for one in gradient._schema.outputs]

        def setup_context(ctx: Any, inputs: Any, keyword_only_inputs: Any = None, output: Any = None) -> None:
            given = dict(zip(positional, inputs))
            given.update(zip(outputs, output if isinstance(output, tuple) else (output,)))
            ctx.save_for_backward(*(given[name] for name in saved))
            ctx.numbers = {name: given[name] for name in numbers}
            ctx.named = {name: value for name, value in (keyword_only_inputs or {}).items()
                         if value is not None and name in gradient._schema.keywords}

        def differentiate(ctx: Any, *grads: Any) -> Any:
            given = dict(zip((f"grad_{name}" for name in outputs), grads))
            given.update(zip(saved, ctx.saved_tensors), **ctx.numbers)
            made = gradient(*(given[name] for name in wanted), **ctx.named)
            by_name = dict(zip(returned, made if isinstance(made, tuple) else (made,)))
            return tuple(by_name.get(name) for name in positional)

        without_keywords = lambda ctx, inputs, output: setup_context(ctx, inputs, None, output)  # noqa: E731
        torch.library.register_autograd(
            self.name, differentiate, setup_context=setup_context if schema.keywords else without_keywords, lib=library
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.kernel, self.name, self._backward)

    def __copy__(self) -> "TorchOperator":
        return self

    def __deepcopy__(self, memo: Any) -> "TorchOperator":
        return self

    def __repr__(self) -> str:
        return f"<cuattune.TorchOperator {self.name}{self._schema.text}>"
