"""The wheel: its files and metadata, and that it works beside nothing else."""

import ctypes
import os
import platform
import subprocess
import sys
import textwrap
from importlib.metadata import distribution, entry_points
from pathlib import Path

import pytest

import cuattune
from cuattune import _programs

SOURCES = Path(__file__).parents[2] / "apps/python/cuattune"


def run(*command: str, **environment: str) -> str:
    """Returns what a command prints; fails with it unless the command ends with 0."""
    ended = subprocess.run(command, env={**os.environ, **environment}, text=True, capture_output=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def python(code: str, **environment: str) -> str:
    return run(sys.executable, "-c", textwrap.dedent(code), **environment)


def test_import_needs_no_framework_and_no_cuda() -> None:
    python("""
        import sys
        for name in "numpy", "torch", "cupy", "pandas", "tqdm", "cuda": sys.modules[name] = None  # cannot be imported
        import cuattune
        assert cuattune.kernel("axpy").name == "axpy"
        """, CUDA_HOME="", CUDA_PATH="", ATTUNE_NVRTC="none")


SCRIPT = str(Path(sys.executable).with_name("cuattune"))


@pytest.mark.parametrize("program", [[sys.executable, "-m", "cuattune"], [SCRIPT]])
def test_the_command_line_is_attune(program: list[str]) -> None:
    assert run(*program, "--version").splitlines()[0] == f"attune {cuattune.__version__}"
    ended = subprocess.run([*program, "plan", "no_kernel"], text=True, capture_output=True)
    assert ended.returncode != 0 and "no_kernel" in ended.stderr


def test_the_library_serves_ctypes() -> None:
    library = ctypes.CDLL(_programs.library())
    library.attune_library_version.restype = ctypes.c_char_p
    assert library.attune_library_version().decode() == cuattune.__version__


IN_A_SUBINTERPRETER = """
    import sys
    code = '''
    try: import cuattune
    except ImportError as error: print("ImportError:", error, flush=True)
    '''
    if sys.version_info >= (3, 14):
        from concurrent import interpreters
        interpreters.create().exec(code)
    elif sys.version_info >= (3, 13):
        import _interpreters
        assert _interpreters.exec(_interpreters.create("KIND"), code) is None
    else:
        import _xxsubinterpreters
        _xxsubinterpreters.run_string(_xxsubinterpreters.create(isolated=("KIND" == "isolated")), code)
"""


@pytest.mark.parametrize("kind", ["isolated", "legacy"])
def test_a_subinterpreter_is_refused(kind: str) -> None:
    assert "ImportError:" in python(textwrap.dedent(IN_A_SUBINTERPRETER).replace("KIND", kind))


METADATA = f"cuattune-{cuattune.__version__}.dist-info"


def files() -> set[str]:
    """Returns the files of the installed package but the compiled ones of Python and those of its metadata."""
    names = {str(file) for file in distribution("cuattune").files or []}
    return {name for name in names if not name.startswith("..") and not {"__pycache__", METADATA} & {*name.split("/")}}


def test_the_wheel_has_these_files_and_no_others() -> None:
    minor = ".".join(cuattune.__version__.split(".")[:2])
    wanted = {f"cuattune/{file.name}" for file in SOURCES.iterdir() if file.is_file()}
    wanted |= {
        "cuattune/_native.abi3.so", "cuattune/bin/attune", "cuattune/bin/attune-worker", "cuattune/include/attune.h",
        f"cuattune/lib/libattune.so.{minor}", f"cuattune/lib/libattune_host.so.{minor}",
        "cuattune/share/attune/vega_notices.txt",
    }  # fmt: skip
    licences = {Path(name).name for name in files() if name.startswith("cuattune/share/licenses/")}
    assert {"nanobind.txt", "libfmt-dev.txt"} <= licences or not Path("/usr/share/doc/libfmt-dev").exists()
    carried = {name for name in files() if not name.startswith(("cuattune.libs/", "cuattune/share/licenses/"))}
    assert carried - {"cuattune/share/attune/vega.js"} == wanted  # a build without a network lacks that one
    assert "cuattune/py.typed" in carried


def test_programs_are_small_and_libraries_are_few() -> None:
    dist = distribution("cuattune")
    libraries = {Path(name).name.split("-")[0] for name in files() if name.startswith("cuattune.libs/")}
    assert libraries <= {"libboost_context", "libboost_program_options", "libfmt", "liblzma", "libmd", "libsqlite3"}
    for program in "attune", "attune-worker":
        file = Path(_programs.program(program))
        assert os.access(file, os.X_OK)
        assert b".symtab" not in file.read_bytes()
    assert sum(Path(str(dist.locate_file(name))).stat().st_size for name in files()) < 21_000_000


def test_the_metadata_say_what_pip_needs() -> None:
    dist = distribution("cuattune")
    assert dist.version == cuattune.__version__
    assert dist.metadata["License-Expression"] == "Apache-2.0"
    assert dist.metadata["Requires-Python"] == ">=3.12"
    assert set(dist.metadata.get_all("Provides-Extra")) >= {"cu12", "cu13"}
    assert "Apache License" in (dist.read_text("licenses/LICENSE") or "")
    scripts = entry_points(group="console_scripts", name="cuattune")
    assert [script.value for script in scripts] == ["cuattune.__main__:main"]


def test_one_wheel_serves_every_python_and_systems_of_2021() -> None:
    lines = (distribution("cuattune").read_text("WHEEL") or "").splitlines()
    tags = [line.removeprefix("Tag: ") for line in lines if line.startswith("Tag: ")]
    assert tags and all(tag.startswith("cp312-abi3-manylinux_2_") for tag in tags)
    # A compiler and a C library that are newer make programs that need those of their time.
    if tuple(map(int, platform.libc_ver()[1].split("."))) <= (2, 36):
        assert f"cp312-abi3-manylinux_2_34_{platform.machine()}" in tags


ANNOUNCED = "import os, cuattune; cuattune.kernel('axpy'); print(os.environ.get('ATTUNE_NVRTC', ''))"


def toolkit(place: Path, libraries: str = "lib") -> Path:
    """Makes files with the names of a toolkit's, and returns the folder of its NVRTC."""
    for file in place / "include/nvrtc.h", place / libraries / "libnvrtc.so.13":
        file.parent.mkdir(parents=True)
        file.touch()
    return place / libraries


def test_nvrtc_of_a_conda_environment_is_announced(tmp_path: Path) -> None:
    folder = toolkit(tmp_path / f"targets/{platform.machine()}-linux")
    assert python(ANNOUNCED, CONDA_PREFIX=str(tmp_path)).strip() == str(folder)


def test_nvrtc_that_is_named_or_found_by_attune_itself_is_left_alone(tmp_path: Path) -> None:
    toolkit(tmp_path / f"targets/{platform.machine()}-linux")
    assert python(ANNOUNCED, CONDA_PREFIX=str(tmp_path), ATTUNE_NVRTC="none").strip() == "none"
    toolkit(tmp_path / "cuda")
    assert python(ANNOUNCED, CONDA_PREFIX="", CUDA_HOME=str(tmp_path / "cuda")).strip() == ""
