"""What all tests of the Python package share: wisdom and a cache of their own, on the host device."""

import os
from pathlib import Path

import pytest

DATA = Path(__file__).parents[1] / "data"
KEPT = ("ATTUNE_SOURCE_DIR", "ATTUNE_REQUIRE_GPU")


@pytest.fixture(autouse=True)
def own_wisdom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Gives a test an empty database, an empty cache and the host device, and its child processes too."""
    for name in [name for name in os.environ if name.startswith("ATTUNE_") and name not in KEPT]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ATTUNE_DB", str(tmp_path / "wisdom.db"))
    monkeypatch.setenv("ATTUNE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("ATTUNE_DEVICE", "host")
    return tmp_path / "wisdom.db"


@pytest.fixture
def scale(tmp_path, tmp_path_factory, monkeypatch):
    """Returns what writes tests/data/kernels/scale.cu, with texts replaced, into the test's folder; it returns the path.

    Its images are compiled once for all tests.
    """
    monkeypatch.setenv("ATTUNE_CACHE", str(tmp_path_factory.getbasetemp() / "images_of_scale"))

    def path_of(*replacements):
        text = (DATA / "kernels" / "scale.cu").read_text()
        for before, after in replacements:
            assert before in text
            text = text.replace(before, after)
        path = tmp_path / "scale.cu"
        path.write_text(text)
        return str(path)

    return path_of


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Returns what lets a shell script stand for the program `attune`, and returns its path."""

    def stand_in(script):
        path = tmp_path / "stand_in"
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(0o755)
        monkeypatch.setattr("cuattune._programs.program", lambda name: str(path))
        return str(path)

    return stand_in
