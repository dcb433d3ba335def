"""The programs and the library that the wheel carries."""

from pathlib import Path

from . import _nvrtc

_FOLDER = Path(__file__).parent


def program(name: str) -> str:
    """Returns the path of `attune` or `attune-worker`, and sees to it that the program will find NVRTC."""
    _nvrtc.announce()
    return str(_FOLDER / "bin" / name)


def library() -> str:
    """Returns the path of libattune.so, attune for C, for ctypes and linkers. Its header is in `../include`."""
    return str(next(_FOLDER.glob("lib/libattune.so.*")))
