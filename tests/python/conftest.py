"""Each test has a database of its own, and the host device; compiled images are shared."""

from pathlib import Path

import pytest

DATA = Path(__file__).parents[1] / "data"


@pytest.fixture(autouse=True)
def own_wisdom(tmp_path, tmp_path_factory, monkeypatch):
    monkeypatch.setenv("ATTUNE_DB", str(tmp_path / "wisdom.db"))
    monkeypatch.setenv("ATTUNE_CACHE", str(tmp_path_factory.getbasetemp() / "images"))
    monkeypatch.setenv("ATTUNE_DEVICE", "host")
    return tmp_path / "wisdom.db"


@pytest.fixture
def scale(tmp_path):
    """Returns the path of tests/data/kernels/scale.cu, or of a copy in which texts are replaced."""

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
    """Lets a shell script stand for the program `attune`."""

    def stand_in(script):
        path = tmp_path / "stand_in"
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(0o755)
        monkeypatch.setattr("cuattune._programs.program", lambda name: str(path))
        return str(path)

    return stand_in
