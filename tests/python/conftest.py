"""What all tests of the Python package share: wisdom and a cache of their own, on the host device."""

import os
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_wisdom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gives a test an empty database, an empty cache and the host device, and its child processes too."""
    for name in [name for name in os.environ if name.startswith("ATTUNE_") and name not in ("ATTUNE_SOURCE_DIR", "ATTUNE_REQUIRE_GPU")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ATTUNE_DB", str(tmp_path / "wisdom.db"))
    monkeypatch.setenv("ATTUNE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("ATTUNE_DEVICE", "host")
