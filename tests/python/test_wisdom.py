"""What was measured: looked into, handed on, brought in, corrected."""

import shutil

import cuattune as at
import pytest


@pytest.fixture
def tuned(scale, own_wisdom, tmp_path_factory):
    """Returns a kernel that is tuned in the test's own database: a copy of one that is made once."""
    kernel, made = scale(), tmp_path_factory.getbasetemp() / "tuned.db"
    if not made.exists():
        at.tune(kernel, n=2000, limit=20, trials=2, seed=7, db=made)
    shutil.copy(made, own_wisdom)
    return kernel


def test_what_is_stored_is_shown(tuned):
    listed = {one.kernel: one for one in at.wisdom.list()}
    assert (listed["scale"].records, listed["scale"].trials) == (1, 2) and listed["reduce"].builtin
    shown = at.wisdom.show(tuned)
    assert isinstance(shown[0], at.Record) and len(shown.of("trial")) == 2
    assert at.wisdom.records(at.kernel(tuned), problem="n=2000")[0] == shown[0]
    assert len(at.wisdom.records(tuned, problem="n=3000")) == 0
    assert at.wisdom.sessions(tuned)[0].seed == 7 and len(at.wisdom.sessions()) == 1
    times = [one.median_ns for one in at.wisdom.trials(tuned, sort="time", limit=5)]
    assert len(times) == 2 and times == sorted(times)


def test_records_go_by_a_file_into_another_database(tuned, tmp_path):
    assert at.wisdom.export(tmp_path / "records.json", tuned) == ""
    other = tmp_path / "other.db"
    assert "1 record" in at.wisdom.import_(tmp_path / "records.json", db=other)
    assert at.wisdom.records(tuned, db=other)[0].origin == "imported"
    assert at.wisdom.records(tuned, db=other)[0].configuration == at.wisdom.records(tuned)[0].configuration
    assert "1 file" in at.wisdom.export(tmp_path / "folder", tuned, format="tuned")
    with pytest.raises(at.Error, match="absent.json"):
        at.wisdom.import_(tmp_path / "absent.json", db=other)


def test_databases_become_one(tuned, own_wisdom, tmp_path):
    whole = tmp_path / "whole.db"
    at.wisdom.merge(own_wisdom, into=whole, dry_run=True)
    assert not whole.exists()
    at.wisdom.merge(own_wisdom, into=whole)
    assert at.wisdom.records(tuned, db=whole) == at.wisdom.records(tuned)
    assert [one.drifts for one in at.wisdom.drift(own_wisdom, whole, all=True)] == [False]


def test_a_pin_serves_until_it_is_removed(tuned):
    at.wisdom.pin(tuned, problem={"n": 2000}, configuration={"BLOCK": 128, "ITEMS": 1})
    assert at.plan(tuned, n=2000).rung == "pinned"
    at.wisdom.pin(tuned, remove=True)
    assert at.plan(tuned, n=2000).rung == "exact"


def test_what_is_forgotten_is_counted(tuned):
    assert at.wisdom.forget(tuned, dry_run=True)[0].trials == 2
    assert at.wisdom.forget(tuned, records=True)[0].to_dict() | {"type": 0} == {
        "type": 0, "dry_run": False, "records": 1, "sessions": 0, "trials": 0, "quarantined": 0, "covers": 0}
    assert len(at.wisdom.records(tuned)) == 0
    with pytest.raises(at.UsageError, match="--all"):
        at.wisdom.forget()


def test_a_database_is_verified_and_compacted(tuned, own_wisdom):
    assert at.wisdom.verify().sound and at.wisdom.compact(own_wisdom).bytes > 0
    own_wisdom.write_bytes(b"no database" * 1000)
    with pytest.raises(at.Error, match="wisdom.db"):
        at.wisdom.verify(own_wisdom)


def test_records_are_adopted_for_code_that_changed(tuned, scale):
    changed = scale(("T(3) *", "3 * T(1) *"))
    assert at.plan(changed, n=2000).rung == "none"
    assert "1 record" in at.wisdom.adopt(changed)
    assert at.plan(changed, n=2000).rung == "exact"
