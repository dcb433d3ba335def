"""Tuning, comparing and checking from Python, on the host device."""

import os
import signal
import subprocess
import sys
import threading
import time
import types
import warnings

import cuattune as at
import pytest

BRIEF = dict(limit=20, trials=3, problem="n=2000")
# 1512 configurations of two images: trials are fast, and take some seconds in all.
MANY = (("BLOCK = [64, 32, 128]", f"BLOCK = [64, {', '.join(str(i) for i in range(1, 1001) if i != 64)}]"),
        ("BLOCK * ITEMS <= 128", "BLOCK * ITEMS <= 1024"))


def test_tune_finds_a_record_and_listeners_hear_of_it(scale):
    trials, records = [], []
    result = at.tune(scale(), effort="exhaustive", n=2000, on_trial=trials.append, on_record=records.append)
    assert result.end == "finished" and result.trials == 5 and len(trials) == 5
    assert trials[0].configuration == {"BLOCK": 64, "ITEMS": 1} and trials[0].new_best
    assert all(trial.verdict == "ok" and trial.median_ns > 0 and trial.best_ns > 0 for trial in trials)
    assert records == [result.record] and records[0].problem == {"n": 2000, "T": "float"}
    assert result.record.speedup_low <= result.speedup <= result.record.speedup_high
    assert {one.verdict for one in result.tried} == {"ok"} and len(result.finalists) >= 1
    assert at.plan(scale(), n=2000).rung == "exact"

    again = at.tune(scale(), effort="exhaustive", n=2000, on_record=records.append)
    assert again.end == "known" and again.configuration == result.configuration and len(records) == 1


def test_a_crash_and_a_hang_cost_one_configuration_each(scale, monkeypatch):
    monkeypatch.setenv("ATTUNE_LAUNCH_LIMIT", "0.1")
    kernel = scale(("ITEMS = [1, 2]", "ITEMS = [1, 2, 4]"), ("BLOCK = [64, 32, 128]", "BLOCK = [32]"),
                   ("  const long long first", "  if (ITEMS == 2) *static_cast<volatile int*>(nullptr) = 1;\n"
                                               "  if (ITEMS == 4) for (volatile int turns = 0;;) turns = 0;\n"
                                               "  const long long first"))
    result = at.tune(kernel, effort="exhaustive", n=500)
    assert {one.configuration["ITEMS"]: one.verdict for one in result.tried} == {1: "ok", 2: "fault", 4: "timeout"}
    assert result.configuration == {"BLOCK": 32, "ITEMS": 1}
    assert all(one.detail for one in result.tried if one.verdict != "ok")


def test_ctrl_c_in_a_listener_keeps_the_best(scale):
    seen = []

    def interrupt(trial):
        seen.append(trial)
        if len(seen) == 3:
            signal.raise_signal(signal.SIGINT)

    result = at.tune(scale(*MANY), effort="exhaustive", on_trial=interrupt)
    assert result.end == "interrupted" and 3 <= result.trials < 1512 and result.configuration
    assert at.wisdom.records(result.kernel)[0].configuration == result.configuration


def test_ctrl_c_while_waiting_keeps_the_best(scale):
    timers = []

    def interrupt_soon(trial):
        if not timers:
            timers.append(threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)))
            timers[0].start()

    result = at.tune(scale(*MANY), effort="exhaustive", on_trial=interrupt_soon)
    assert result.end == "interrupted" and result.configuration and result.trials < 1512


STAND_IN_THAT_COUNTS = r"""
n=0; trap 'n=$((n+1))' TERM INT
echo '{"type":"trial","trial":1,"verdict":"ok","median_ns":1,"configuration":{}}'
while [ $n = 0 ]; do sleep 0.05; done; sleep 0.3
echo '{"type":"session","kernel":"k","problem":{}}'
echo "{\"type\":\"best\",\"end\":\"interrupted\",\"configuration\":null,\"trials\":$n}"; exit 130
"""
CALLER = """
import sys
import cuattune as at
from cuattune import _programs
if sys.argv[1:]: _programs.program = lambda name: sys.argv[1]
kernel = "k" if sys.argv[1:] else sys.stdin.read()
result = at.tune(kernel, effort="exhaustive", on_trial=lambda trial: print("trial", flush=True))
print(result.end, result.trials)
"""


@pytest.mark.parametrize("send", [os.killpg, os.kill], ids=["the_group", "the_process_alone"])
def test_the_program_gets_one_signal_whether_a_terminal_or_a_notebook_sends_it(send, program):
    caller = subprocess.Popen([sys.executable, "-c", CALLER, program(STAND_IN_THAT_COUNTS)], stdout=subprocess.PIPE,
                              start_new_session=True, text=True)
    assert caller.stdout.readline() == "trial\n"
    send(caller.pid, signal.SIGINT)
    assert caller.communicate(timeout=20)[0] == "interrupted 1\n"


def test_a_second_ctrl_c_kills(program):
    program("trap '' TERM INT\necho \"{\\\"type\\\":\\\"trial\\\",\\\"trial\\\":$$}\"\nwhile :; do sleep 0.05; done")
    pids = []

    def interrupt_twice(trial):
        pids.append(trial.trial)
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        at.tune("k", on_trial=interrupt_twice)
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)


def test_an_exception_of_a_listener_ends_the_search_keeps_what_was_found_and_is_raised(scale):
    kernel = scale(*MANY)
    heard = []

    def fail(trial):
        heard.append(trial)
        if len(heard) == 2:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        at.tune(kernel, effort="exhaustive", on_trial=fail)
    assert len(heard) == 2
    assert at.wisdom.records(kernel)[0].partial
    assert at.wisdom.sessions()[0].state == "partial"


def test_no_session_outlives_its_caller(scale):
    caller = subprocess.Popen([sys.executable, "-c", CALLER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    caller.stdin.write(scale(*MANY))
    caller.stdin.close()
    assert caller.stdout.readline() == "trial\n"
    caller.kill()
    caller.wait()
    deadline = time.monotonic() + 30
    while (state := at.wisdom.sessions()[0].state) == "running" and time.monotonic() < deadline:
        time.sleep(0.1)
    assert state == "partial" and at.wisdom.sessions()[0].trials < 1512
    caller.stdout.close()


def test_a_program_that_dies_is_an_error_that_names_the_signal(program):
    program("echo 'attune: so far so good' >&2; kill -SEGV $$")
    with pytest.raises(at.Error, match="so far so good\nattune tune was ended by SIGSEGV"):
        at.tune("k")


def test_a_program_that_is_missing_is_an_error_that_says_what_to_do(monkeypatch):
    monkeypatch.setattr("cuattune._programs.program", lambda name: "/nowhere/attune")
    with pytest.raises(at.Error, match="/nowhere/attune cannot be run .* install the package"):
        at.run("list")


def test_messages_beside_a_result_are_warnings(program):
    program("echo 'attune: waiting for the database' >&2; echo 'printed by a kernel' >&2\n"
            "echo '{\"type\":\"kernel\",\"kernel\":\"k\"}'")
    with pytest.warns(at.AttuneWarning, match="waiting for the database\nprinted by a kernel") as seen:
        assert at.run("list")[0].kernel == "k"
    assert seen[0].filename == __file__


@pytest.mark.parametrize("call, words", [
    (lambda kernel: at.tune(kernel, m=3), r"knows no `m`; problem values of scale: n, T; options: attune tune --help"),
    (lambda kernel: at.tune(kernel, trails=3), r"`trails` \(did you mean `trials`\?\)"),
    (lambda kernel: at.tune(kernel, limt=3), r"`limt` \(did you mean `limit`\?\)"),
    (lambda kernel: at.tune(kernel, problem="m=3"), r"no problem name `m`; known: n, T"),
    (lambda kernel: at.tune(kernel, strategy="pso"), r"`particle_swarm`"),
    (lambda kernel: at.tune(kernel, parameters="BLOK=3"), r"BLOK.*BLOCK"),
    (lambda kernel: at.tune(kernel, problems="n=1..9 plus 1"), r'cuattune.run\("tune"'),
    (lambda kernel: at.tune("nosuch"), r"no kernel `nosuch`; known: add"),
    (lambda kernel: at.run("list", colour="red"), r"unknown option `--colour`"),
    (lambda kernel: at.run("lst"), r"`lst`.*list"),
], ids=["problem", "option", "own_option", "problem_text", "strategy", "parameter", "problems", "kernel", "run_option",
        "command"])
def test_a_bad_name_is_one_error_with_the_name_and_the_next_step(call, words, scale):
    with pytest.raises(at.UsageError, match=words):
        call(scale())


def test_a_name_that_is_both_an_option_and_a_size_is_refused(scale):
    kernel = scale(("n = { size", "rounds = { size = 3 }\nn = { size"))
    with pytest.raises(at.UsageError, match='`rounds` is an option of bench and a problem value of scale.*"rounds='):
        at.bench(kernel, rounds=30)
    assert at.bench(kernel, problem="rounds=4", no_copy=True, time_limit=0.3).head.problem["rounds"] == 4


def test_nothing_that_survives_is_an_error_with_the_reason(scale):
    with pytest.raises(at.Error, match="wrong_result") as failed:
        at.tune(scale(("T(3) *", "T(4) *")), **BRIEF)
    assert failed.value.rows[-1]["verdicts"] == {"wrong_result": 3}


def test_an_estimate_measures_nothing(scale, own_wisdom):
    result = at.tune(scale(), effort="estimate", n=2000)
    assert result.end == "estimated" and result.configuration == {"BLOCK": 64, "ITEMS": 1}
    assert "no wisdom for scale" in str(result) and not own_wisdom.exists()


def test_bench_check_plan_and_space(scale):
    kernel = scale()
    rows = at.bench(kernel, n=2000, configuration=["ITEMS=2", {"BLOCK": 32, "ITEMS": 2}], rounds=30, regime="warm")
    assert [one.name for one in rows] == ["default", "1", "2", "copy"] and rows.head.kernel == "scale"
    assert rows[2].configuration == {"BLOCK": 32, "ITEMS": 2} and rows[2].regime == "warm"
    assert rows[1].speedup_low <= rows[1].speedup <= rows[1].speedup_high and not rows.interrupted
    assert "no record of the regime warm" in rows.notes[0]
    assert at.check(kernel, n=100, configuration="BLOCK=32").verdict == "ok"
    wrong = at.check(scale(("T(3) *", "T(ITEMS + 2) *")), configuration={"ITEMS": 2})
    assert wrong.verdict == "wrong_result" and "expected" in wrong.detail
    assert at.plan(kernel, n=100).why.startswith("no wisdom for scale")
    assert at.plan(kernel, n=100, why=True).reasons[-1].why == "a fall-back, which needs no record"
    assert at.space(kernel)[0].legal == 5
    assert [one.configuration["BLOCK"] for one in at.space(kernel, list=2)] == [64, 64]
    assert "auto" in at.run("strategies").text


def test_bench_that_is_interrupted_returns_the_rounds_so_far(scale):
    timer = threading.Timer(2.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with warnings.catch_warnings(action="ignore"):
        rows = at.bench(scale(), n=2000, rounds=1_000_000)
    assert rows.interrupted and rows[0].rounds >= 1


def test_threads_run_commands_at_once(scale):
    kernel, results = scale(), {}

    def tune(n):
        results[n] = at.tune(kernel, limit=20, trials=2, n=n)

    threads = [threading.Thread(target=tune, args=(n,)) for n in (1000, 2000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {n: one.problem["n"] for n, one in results.items()} == {1000: 1000, 2000: 2000}


def test_a_device_without_room_says_what_pytorch_holds(program, monkeypatch):
    memory = dict(is_initialized=lambda: True, device_count=lambda: 2, memory_reserved=lambda device: 3_000_000_000,
                  memory_allocated=lambda device: 1_000_000_000 * device)
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(cuda=types.SimpleNamespace(**memory)))
    program("echo 'attune: cuda:0 has no room for 9.0 GB' >&2; exit 1")
    with pytest.raises(at.OutOfMemory, match=r"has no room for 9.0 GB\n.*holds 5000 MB.*torch.cuda.empty_cache\(\)"):
        at.tune("k")


def test_progress_is_a_bar_where_it_is_wanted(scale, capfd):
    pytest.importorskip("tqdm")
    at.tune(scale(), progress=True, **BRIEF)
    assert "3/3 trial" in (text := capfd.readouterr().err) and "best" in text and "x the default" in text
    at.tune(scale(), limit=0.2, fresh=True)
    assert capfd.readouterr().err == ""


def test_arrays_say_the_problem_and_the_kernel_takes_the_result_up(scale):
    numpy = pytest.importorskip("numpy")
    kernel, x = at.kernel(scale()), numpy.ones(3000, "int32")
    assert "tuned for this problem" not in kernel.why(x)
    result = at.tune(kernel, x, limit=20, trials=2)
    assert result.problem == {"n": 3000, "T": "int32"}
    assert "tuned for this problem" in kernel.why(x)
    assert at.tune(types.SimpleNamespace(kernel=kernel), x, effort="wisdom_only").end == "estimated"


def test_a_kernel_s_own_database_and_regime_are_tuned_for(scale, tmp_path, own_wisdom):
    kernel = at.kernel(scale(), database=str(tmp_path / "own.db"), regime="warm")
    assert at.tune(kernel, **BRIEF).record.regime == "warm"
    assert not own_wisdom.exists() and at.wisdom.records("scale", db=tmp_path / "own.db")[0].regime == "warm"
