#!/usr/bin/env python3
"""Sessions that attune exported, read by the tools that the formats are of: Optuna, its dashboard, Kernel Tuner.

read_exports.py ATTUNE FOLDER RECORDINGS: makes a virtual environment of requirements.txt in FOLDER, searches
recordings, exports the sessions, and compares what the tools read with what `attune trials` says. Exit status: 0; 1
where they differ; 77 without pip, without a network or with a Python before 3.11.
"""

import getpass
import io
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

SKIPPED = 77
HERE = Path(__file__).resolve().parent


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def environment(folder):
    """Returns the Python of an environment with what requirements.txt names; a second run finds it made."""
    wanted = (HERE / "requirements.txt").read_text()
    stamp, python = folder / "environment.made", folder / "environment/bin/python"
    if stamp.exists() and stamp.read_text() == wanted and python.exists():
        return python
    if sys.version_info < (3, 11):
        skip(f"Python 3.11 is needed, this is {sys.version.split()[0]}")
    for command in (
        [sys.executable, "-m", "venv", "--clear", folder / "environment"],
        [python, "-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check", "--retries", "1"]
        + ["--timeout", "10", "--no-compile", "--requirement", HERE / "requirements.txt"],
    ):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            said = done.stdout + done.stderr
            unreachable = ("ensurepip", "connection broken", "Name or service not known", "Network is unreachable")
            if any(words in said for words in unreachable):
                skip("no pip, or no network: " + said.strip().splitlines()[-1])
            sys.exit(said)
    stamp.write_text(wanted)
    return python


class Session:
    """A search on a recording, and what attune says of its trials."""

    def __init__(self, attune, folder, recording, kernel):
        self.attune, self.kernel, self.database = attune, kernel, folder / f"{kernel}.db"
        self.database.unlink(missing_ok=True)
        search = ("--strategy", "random", "--seed", "1", "--trials", "300")
        self.run("tune", "--device", f"replay:{recording}", *search)
        lines = self.run("trials", kernel, "--json").splitlines()
        trials = [json.loads(line) for line in lines]
        self.right = [trial for trial in trials if trial["verdict"] == "ok"]
        self.failed = [trial for trial in trials if trial["verdict"] != "ok"]
        self.best = min(self.right, key=lambda trial: trial["median_ns"])

    def run(self, *arguments):
        command = [self.attune, *arguments, "--db", self.database]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def exported(self, form, path):
        self.run("export", self.kernel, "--format", form, "-o", path)
        text = path.read_text()
        self.run("export", self.kernel, "--format", form, "-o", path)
        assert path.read_text() == text, f"two exports of one session differ: {path}"
        for private in (socket.gethostname(), f"/{getpass.getuser()}/", str(path.parent)):
            assert private not in text, f"{path} names {private}"
        return path


def near(a, b):
    return abs(a - b) <= 1e-9 * abs(b)


def check_optuna(session, path):
    import optuna
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    storage = JournalStorage(JournalFileBackend(str(session.exported("optuna", path))))
    (summary,) = optuna.get_all_study_summaries(storage)
    study = optuna.load_study(study_name=summary.study_name, storage=storage)
    states = [trial.state.name for trial in study.trials]
    assert states.count("COMPLETE") == len(session.right), states.count("COMPLETE")
    assert states.count("FAIL") == len(session.failed), states.count("FAIL")
    assert near(study.best_value, session.best["median_ns"]), study.best_value
    assert study.best_params == session.best["configuration"], study.best_params
    assert study.best_trial.user_attrs["verdict"] == "ok" and study.metric_names == ["median_ns"]
    for trial in study.trials:
        assert trial.datetime_start <= trial.datetime_complete
        trial._validate()
    check_dashboard(storage, session)
    print(f"{session.kernel}: Optuna read {len(states)} trials, the best {study.best_value:.0f} ns")


def check_dashboard(storage, session):
    """Asks the dashboard's server for what its pages are made of."""
    from optuna_dashboard import wsgi

    request = {"REQUEST_METHOD": "GET", "PATH_INFO": "/api/studies/0", "QUERY_STRING": "", "SERVER_NAME": "here"}
    request |= {"SERVER_PORT": "80", "wsgi.url_scheme": "http", "wsgi.input": io.BytesIO(), "wsgi.errors": sys.stderr}
    answered = []
    body = json.loads(b"".join(wsgi(storage)(request, lambda status, headers, error=None: answered.append(status))))
    assert answered == ["200 OK"], answered
    assert len(body["trials"]) == len(session.right) + len(session.failed)
    assert near(body["best_trials"][0]["values"][0], session.best["median_ns"]), body["best_trials"][0]


def check_kernel_tuner(session, path):
    import kernel_tuner
    from kernel_tuner import util

    cache = util.read_cache(str(session.exported("kernel-tuner", path)), open_cache=False)
    names = cache["tune_params_keys"]
    rows = {key: row for key, row in cache["cache"].items() if "__error__" not in row}
    assert len(rows) == len(session.right) and len(cache["cache"]) == len(session.right) + len(session.failed)
    for key, row in cache["cache"].items():
        assert key == ",".join(str(row[name]) for name in names), key
        assert all(row[name] in cache["tune_params"][name] for name in names), key
    best = min(rows.values(), key=lambda row: row["time"])
    assert near(best["time"], session.best["median_ns"] / 1e6), best
    assert {name: best[name] for name in names} == session.best["configuration"], best
    # A search on the file, as its users run it.
    results, device = kernel_tuner.tune_cache(str(path), strategy="brute_force", quiet=True)
    assert len(results) == len(rows) and near(min(row["time"] for row in results), best["time"]), len(results)
    print(f"{session.kernel}: Kernel Tuner read {len(cache['cache'])} configurations, the best {best['time']} ms")


def check_t4(session, path):
    """Kernel Tuner's own schema, its own writer, and attune's way back."""
    import jsonschema
    from kernel_tuner import file_utils, util

    document = json.loads(session.exported("t4", path).read_text())
    version, schema = file_utils.output_file_schema("results")
    jsonschema.validate(document, schema)
    assert document["schema_version"] == version, document["schema_version"]
    right = [row for row in document["results"] if row["invalidity"] == "correct"]
    assert len(right) == len(session.right) and len(document["results"]) == len(session.right) + len(session.failed)
    # What Kernel Tuner makes of the cache of the same session says the same of each configuration.
    cache = util.read_cache(str(path.parent / f"{session.kernel}.json"), open_cache=False)
    rows = [row for row in cache["cache"].values() if "__error__" not in row]
    theirs = file_utils.get_t4_results(rows, cache["tune_params"])["results"]
    by_values = {json.dumps(row["configuration"]): row for row in right}
    assert len(by_values) == len(theirs)
    for row in theirs:
        ours = by_values[json.dumps(row["configuration"])]
        assert ours["invalidity"] == row["invalidity"] and ours["times"]["runtimes"] == row["times"]["runtimes"]
        (time,) = [one for one in row["measurements"] if one["name"] == "time"]
        assert ours["measurements"][0] == time, (ours["measurements"], time)
    print(f"{session.kernel}: Kernel Tuner's schema holds for {len(document['results'])} T4 results")


def read_all(attune, folder, recordings):
    for recording, kernel in (("recordings/kernel_tuner.json", "void_blur_float_"),
                              ("recorded/pnpoly_RTX_3090.json.xz", "cn_pnpoly")):
        session = Session(attune, folder, recordings / recording, kernel)
        assert session.right and session.failed, "a session that shows both"
        check_optuna(session, folder / f"{kernel}.journal")
        check_kernel_tuner(session, folder / f"{kernel}.json")
        check_t4(session, folder / f"{kernel}.t4.json")


def main():
    attune, folder, recordings = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    if os.environ.get("ATTUNE_TEST_INSIDE") == "1":
        return read_all(attune, folder, recordings)
    python = environment(folder)
    inside = dict(os.environ, ATTUNE_TEST_INSIDE="1")
    sys.exit(subprocess.run([python, __file__, *sys.argv[1:]], env=inside).returncode)


if __name__ == "__main__":
    main()
