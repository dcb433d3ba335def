"""Shapes of outputs for arrays that have no data: what the extension does for arrays (extension/signature.hpp), with
sizes that may be symbols."""

from collections.abc import Mapping, Sequence
from typing import Any

from ._native import UsageError

Argument = Mapping[str, Any]  # one of Kernel.arguments


def _spelled(argument: Argument, shape: Sequence[Any]) -> bool:
    return argument["factor"] == 1 and argument["components"] == 1 and len(shape) >= len(argument["names"])


def _product(extents: Sequence[Any]) -> Any:
    product: Any = 1
    for extent in extents:
        product = product * extent
    return product


def _deduce(argument: Argument, shape: Sequence[Any], sizes: dict[str, Any]) -> None:
    names = argument["names"]
    if not names:
        return
    if _spelled(argument, shape):
        first = len(shape) - len(names)
        sizes.setdefault(names[0], _product(shape[: first + 1]))
        for name, extent in zip(names[1:], shape[first + 1 :]):
            sizes.setdefault(name, extent)
        return
    open_names = [name for name in names if name not in sizes]
    if len(open_names) == 1:
        known = argument["factor"] * argument["components"] * _product([sizes[name] for name in names if name in sizes])
        sizes[open_names[0]] = _product(shape) // known


def _in_front(name: str, inputs: Sequence[tuple[Argument, Sequence[Any]]]) -> Sequence[Any]:
    for argument, shape in inputs:
        if argument["names"] and argument["names"][0] == name and _spelled(argument, shape):
            return shape[: len(shape) - len(argument["names"]) + 1]
    return ()


def output_shapes(
    arguments: Sequence[Argument], shapes: Mapping[str, Sequence[Any]], given: Mapping[str, Any]
) -> dict[str, tuple[Any, ...]]:
    """Returns the shape of each output, in elements.

    arguments: those of the kernel. shapes: of the inputs, by name. given: sizes by keyword, which may be symbols.
    Raises UsageError for an output whose size is no product of sizes of the problem, and for a size that is not known.
    """
    inputs = [(one, shapes[one["name"]]) for one in arguments if one["name"] in shapes]
    sizes = dict(given)
    for _ in range(2):  # a flat array may need what a later one says
        for argument, shape in inputs:
            _deduce(argument, shape, sizes)
    made = {}
    for argument in arguments:
        if argument["role"] != "out":
            continue
        like = argument["like"]
        if like is not None and arguments[like]["name"] in shapes:
            made[argument["name"]] = tuple(shapes[arguments[like]["name"]])
            continue
        names = argument["names"]
        if names is None or any(name not in sizes for name in names):
            raise UsageError(
                f"argument `{argument['name']}`: its shape does not follow from `size = {argument['size']}`")
        extents: list[Any] = []
        for i, name in enumerate(names):
            extents.extend((_in_front(name, inputs) if i == 0 else ()) or (sizes[name],))
        factor = argument["factor"] * argument["components"]
        if factor != 1:
            extents.insert(len(extents) if argument["components"] != 1 else 0, factor)
        made[argument["name"]] = tuple(extents)
    return made
