"""Callables of Python: tuned in processes that import them, found again, refused with the next step."""

import os
import subprocess
import sys
from pathlib import Path

import callables
import pytest

import cuattune as at


def test_what_ends_badly_costs_one_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTUNE_LAUNCH_LIMIT", "0.1")
    monkeypatch.setenv("PID_OF_TEST", str(os.getpid()))
    heard: list[at.Trial] = []
    result = at.tune(callables.many, n=4000, strategy="exhaustive", on_trial=heard.append)
    trials = {(one.configuration["HOW"], one.configuration["STEP"]): one for one in result.tried}
    assert heard == result.tried and len(trials) == 15
    assert {how: one.verdict for (how, step), one in trials.items() if step == 1} == {
        "plain": "ok", "print": "ok", "crash": "fault", "hang": "timeout", "exit": "fault", "raise": "fault",
        "broken": "fault", "memory": "out_of_memory", "result": "fault", "delta": "ok", "events": "ok",
        "assert": "wrong_result", "true": "fault", "wrong": "wrong_result"}
    for how, detail in {"crash": "signal 6", "exit": "exit code 3",
                        "raise": "LookupError: nothing is there (callables.py:",
                        "memory": "MemoryError: too much", "result": "the work returned a str: expected None, seconds",
                        "assert": "it is not what it was to be", "true": "the check returned True",
                        "wrong": "wrong by far"}.items():
        assert detail in trials[how, 1].detail
    assert any("broken" in note and "killed" not in note and "tried once more" in note for note in result.notes)
    assert [trials[of].median_ns for of in (("plain", 1), ("plain", 2), ("delta", 1), ("events", 1))] == pytest.approx(
        [4e6, 2e6, 2e6, 1e6], rel=1e-3)
    assert result.configuration == {"STEP": 1, "HOW": "events"} and result.end == "finished"
    assert result.problem == {"n": 4000, "where": "here"}


def test_what_was_found_is_found_again_for_its_version_and_near_problems() -> None:
    assert at.find(callables.steps).rung == "none"
    assert at.find(callables.steps).configuration == {"STEP": 1}
    records: list[at.Record] = []
    result = at.tune(callables.steps, problem={"n": 2000}, x=0.25, parameters={"STEP": "1,3"},
                     strategy="exhaustive", on_record=records.append)
    assert result.trials == 2 and result.speedup == pytest.approx(3) and records == [result.record]

    found = at.find(callables.steps, "n=2000", x=0.25)
    assert (found.rung, found.configuration, found.kernel) == ("exact", {"STEP": 3}, "steps")
    assert found.problem == {"n": 2000, "x": 0.25, "is_fast": True} and found.speedup == pytest.approx(3)
    assert at.find(callables.steps, {"n": 3000, "x": 0.25}).rung == "near problem"
    assert at.plan(callables.steps, n=2000, x=0.25).configuration == found.configuration
    assert at.find(callables.steps, n=2000, x=0.25, database="elsewhere.db").rung == "none"
    changed = at.Tunable(name="steps", version="2", problem=callables.steps.problem, make=callables.steps.make,
                         parameters=callables.steps.parameters)
    assert at.find(changed, n=2000, x=0.25).rung != "exact"

    again = at.tune(callables.steps, n=2000, x=0.25, parameters={"STEP": "1,3"}, strategy="exhaustive")
    assert again.end == "known"
    assert at.wisdom.records(callables.steps)[0].configuration == {"STEP": 3}
    assert len(at.wisdom.trials(callables.steps)) == 2


def test_work_that_returns_nothing_is_timed() -> None:
    assert at.find(callables.timed).why.endswith("(try: tune() of its program)")
    result = at.tune(callables.timed, strategy="exhaustive")
    assert str(result).startswith("timed: finished, 2 trials")
    assert 1e6 <= result.tried[-1].median_ns < result.tried[0].median_ns and result.tried[0].median_ns >= 2e6


SCRIPT = """
import sys
import cuattune as at
first = sys.argv[1]
work = at.Tunable(name="of_script", version="1", parameters={"A": [1, 2]},
                  make=lambda problem: lambda configuration: float(first) / configuration["A"])
%s
"""


def run(tmp_path: Path, last: str, *words: str) -> str:
    (tmp_path / "script.py").write_text(SCRIPT % last)
    done = subprocess.run([sys.executable, *words, "0.001"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    return done.stdout + done.stderr


def test_a_script_is_imported_under_another_name(tmp_path: Path) -> None:
    guarded = 'if __name__ == "__main__": print(at.tune(work, strategy="exhaustive").configuration)'
    assert run(tmp_path, guarded, "script.py") == "{'A': 2}\n"
    assert run(tmp_path, guarded, "-m", "script") == "{'A': 2}\n"
    unguarded = run(tmp_path, "print(at.tune(work, fresh=True).configuration)", "script.py")
    assert 'put it below `if __name__ == "__main__":`' in unguarded


def test_what_a_worker_cannot_import_names_the_next_step(tmp_path: Path) -> None:
    local = at.Tunable(name="local", version="1", parameters={"A": [1]}, make=lambda problem: lambda configuration: 1)
    with pytest.raises(at.UsageError, match="`local` is no global name of a module.*at the top level of a module"):
        at.tune(local)
    code = "import cuattune as at; t = at.Tunable(name='a', version='1', parameters={'A': [1]}, make=print); at.tune(t)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert "made in a notebook or a session" in done.stderr and "`from work import t`" in done.stderr


def test_the_program_serves_by_name_too(tmp_path: Path) -> None:
    serve = f"exec {sys.executable} -m cuattune.serve "
    (tmp_path / "work.py").write_text(SCRIPT.replace("sys.argv[1]", "'1'") % "")
    line = at.run("tune", program=f"{serve}{tmp_path / 'work.py'}:work", strategy="exhaustive").of("best")[0]
    assert line.configuration == {"A": 2}
    with pytest.raises(at.Error, match="`nothing` of json is no Tunable"):
        at.run("tune", program=serve + "json:nothing")


def test_wrong_requests_are_refused() -> None:
    with pytest.raises(at.UsageError, match="knows no `m`"):
        at.tune(callables.steps, m=3)
    with pytest.raises(at.Error, match=r"make\(\) of `failing` failed: ZeroDivisionError: .* \(callables.py:"):
        at.tune(callables.failing)
    with pytest.raises(at.UsageError, match="takes no arrays"):
        at.tune(callables.steps, [1, 2])
    with pytest.raises(at.UsageError, match="`steps` is a callable"):
        at.bench(callables.steps)
    with pytest.raises(at.UsageError, match="the program says where"):
        at.tune(callables.steps, device="host")
    with pytest.raises(at.UsageError, match="the problem has no `m`"):
        at.find(callables.steps, m=3)
    with pytest.raises(at.UsageError, match="expected a value like 0.5"):
        at.find(callables.steps, x=1)
    with pytest.raises(at.UsageError, match="a value is a bool, an int, a float or a str"):
        at.find(at.Tunable(name="a", version="1", parameters={"A": [b"1"]}, make=print))  # type: ignore[list-item]
