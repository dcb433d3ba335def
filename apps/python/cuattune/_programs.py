"""The programs that the wheel carries."""

from pathlib import Path

FOLDER = Path(__file__).parent / "bin"


def program(name: str) -> str:
    """Returns the path of `attune` or `attune-worker`."""
    return str(FOLDER / name)
