"""What the package offers, beside what its page and its type stubs say."""

import ast
import inspect
import os
import re
from pathlib import Path

import cuattune as at
from cuattune import _native

SOURCE = Path(os.environ.get("ATTUNE_SOURCE_DIR") or Path(__file__).parents[2])


def test_the_reference_has_each_public_name() -> None:
    page = (SOURCE / "docs" / "python.md").read_text()
    rows = re.findall(r"^\| (`.*?`) \| ", page.partition("\n## Reference\n")[2], re.MULTILINE)
    told = [re.match(r"[A-Za-z_.]+", name)[0] for row in rows for name in re.findall(r"`([^`]+)`", row)]
    assert len(told) == len(set(told))
    of_kernel = {name for name in dir(at.Kernel) if not name.startswith("_")}
    of_tunable = {name for name, value in vars(at.Tunable).items() if inspect.isfunction(value) and name[0] != "_"}
    of_wisdom = {name for name, value in vars(at.wisdom).items()
                 if inspect.isfunction(value) and value.__module__ == at.wisdom.__name__ and not name.startswith("_")}
    assert set(told) == (set(at.__all__) | {f"Kernel.{name}" for name in of_kernel} |
                         {f"Tunable.{name}" for name in of_tunable} |
                         {f"wisdom.{name}" for name in of_wisdom})


def test_the_reference_names_parameters_that_there_are() -> None:
    page = (SOURCE / "docs" / "python.md").read_text().partition("\n## Reference\n")[2]
    checked = 0
    for name, text in re.findall(r"`([A-Za-z_.]+)\(([^)]*)\)`", page):
        of = at
        for part in name.split("."):
            of = getattr(of, part, None)
        if of is None:  # of another page
            continue
        parameters = inspect.signature(of).parameters
        takes_any = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
        for part in filter(None, text.split(", ")):
            called, _, default = part.strip("*").partition("=")
            assert called in parameters or called == "..." or takes_any, f"{name}() has no `{called}`"
            if called in parameters and default not in ("", "..."):
                assert repr(parameters[called].default).strip("'") == default.strip('"'), f"{name}({part})"
        checked += 1
    assert checked > 15


def test_stubs_have_what_the_extension_has() -> None:
    stub = ast.parse((Path(at.__file__).parent / "_native.pyi").read_text())
    classes = {one.name: one for one in stub.body if isinstance(one, ast.ClassDef)}
    names = set(classes) | {one.target.id for one in stub.body if isinstance(one, ast.AnnAssign)}
    names |= {one.name for one in stub.body if isinstance(one, ast.FunctionDef)}
    assert names == {name for name in vars(_native) if not name.startswith("__")}
    for name, one in classes.items():
        found = getattr(_native, name)
        said = {line.name for line in one.body if isinstance(line, ast.FunctionDef)}
        assert said - {"__init__", "__call__"} == {name for name in vars(found) if not name.startswith("__")}
        assert ("__call__" in said) == ("__call__" in vars(found))
        bases = {base.id for base in one.bases}
        assert bases == {base.__name__ for base in found.__bases__ if base is not object}
