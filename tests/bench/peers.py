"""What the comparisons with other tuners share: the environment of the peers, tables, circumstances of a run.

    python peers.py versions PACKAGE...

prints what the environment of this interpreter has: {"versions", "python", "compiled"}.
"""

import datetime
import importlib.metadata
import importlib.util
import json
import os
import platform
import shlex
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
DEFAULT_VENV = REPOSITORY / "build/peers-venv"


def note(message):
    print(f"{Path(sys.argv[0]).name}: {message}", file=sys.stderr, flush=True)


def fail(message):
    sys.exit(f"{Path(sys.argv[0]).name}: {message}")


# ---- the environment -------------------------------------------------------------------------------------------------


def versions(*packages):
    found = {}
    for package in packages:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = None
    # Kernel Tuner's solver comes as compiled code or, where it has no wheel, as plain and slower Python.
    solver = importlib.util.find_spec("constraint.solvers") if found.get("python-constraint2") else None
    compiled = solver is not None and not solver.origin.endswith(".py")
    return {"versions": found, "python": platform.python_version(), "compiled": compiled}


def installed(python, wanted):
    """What `versions` says in an environment; nothing where there is none."""
    if not python.is_file():
        return None
    answer = subprocess.run([python, Path(__file__).resolve(), "versions", *wanted], capture_output=True, text=True)
    return json.loads(answer.stdout) if answer.returncode == 0 else None


def install(venv, wanted):
    if venv.is_dir() and any(venv.iterdir()) and not (venv / "pyvenv.cfg").is_file():
        fail(f"{venv} is not a virtual environment; name another folder with --venv DIR")
    packages = [f"{name}=={version}" for name, version in wanted.items()]
    note(f"installing {' '.join(packages)} in {venv}")
    no_venv = "Python's venv module is needed (Debian: apt-get install python3-venv)."
    no_index = ("This needs a package index: connect to the network, or set PIP_INDEX_URL to a mirror, and repeat; or\n"
                "install these versions elsewhere and name that environment with --venv DIR. They are known to work\n"
                f"with Python 3.11; this is {platform.python_version()}.")
    pip = [venv / "bin/python", "-m", "pip", "install", "--disable-pip-version-check", *packages]
    for command, advice in (([sys.executable, "-m", "venv", venv], no_venv), (pip, no_index)):
        answer = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if answer.returncode != 0:
            said = [f"{shlex.join(map(str, command))} failed:", *answer.stdout.strip().splitlines()[-6:]]
            fail("\n    ".join(said) + f"\n{advice}")


def peers_python(venv, wanted):
    """The interpreter of an environment with exactly these versions, made if need be, and what it says of itself."""
    python = venv / "bin/python"
    found = installed(python, wanted)
    if not found or found["versions"] != wanted:
        install(venv, wanted)
        found = installed(python, wanted)
        if not found or found["versions"] != wanted:
            fail(f"{venv} has {found and found['versions']}, not {wanted}; remove it, then repeat")
    return python, found


# ---- programs of ours ------------------------------------------------------------------------------------------------


def find_program(path, name, option, preset=""):
    """The program at `path`, else the one of the build; says how to name or build it where it is missing."""
    program = Path(path) if path else REPOSITORY / "build/bin" / name
    if not (program.is_file() and os.access(program, os.X_OK)):
        fail(f"no program {program}; name it with {option} PATH, or build it:\n    cmake --preset release{preset} && "
             f"cmake --build --preset release --target {name}")
    return program.resolve()


def json_of(*command):
    """What a program of ours prints; ends this one where that failed."""
    answer = subprocess.run(command, capture_output=True, text=True)
    if answer.returncode != 0:
        fail(f"{shlex.join(map(str, command))} ended with {answer.returncode}:\n{answer.stderr.strip()[-1000:]}")
    try:
        return json.loads(answer.stdout)
    except ValueError:
        fail(f"{shlex.join(map(str, command))} printed no JSON: {answer.stdout[:200]!r}")


# ---- the report ------------------------------------------------------------------------------------------------------


def markdown(rows):
    """A table whose columns line up in plain text too; the first column left, the others right."""
    first, *others = [max(map(len, column)) for column in zip(*rows)]
    rule = f"|{'-' * (first + 2)}|{''.join('-' * (width + 1) + ':|' for width in others)}"
    lines = [f"| {' | '.join([row[0].ljust(first), *map(str.rjust, row[1:], others)])} |" for row in rows]
    return [lines[0], rule, *lines[1:]]


def setting(path, key, separator):
    """What the first line of a file that starts with `key` sets; `unknown KEY` without such a line or file."""
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    values = (line.partition(separator)[2].strip() for line in text.splitlines() if line.startswith(key))
    return next(values, f"unknown {key}")


def circumstances(found, program, load):
    """Versions, machine, time and command line; `program` is ours, in the folder bin of its build."""
    git = ["git", "--no-optional-locks", "-C", REPOSITORY, "describe", "--always", "--dirty"]
    commit = subprocess.run(git, capture_output=True, text=True).stdout.strip() or "of unknown commit"
    build = setting(program.parent.parent / "CMakeCache.txt", "CMAKE_BUILD_TYPE", "=")
    names = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    solver = f"Kernel Tuner's solver {'' if found['compiled'] else 'NOT '}compiled"
    cores = f"{len(os.sched_getaffinity(0))} of {os.cpu_count()} cores"
    return [f"- attune {commit}, {build}; {names}; {solver}",
            f"- Python {found['python']}; {platform.system()} {platform.release()}",
            f"- {setting(Path('/proc/cpuinfo'), 'model name', ':')}, {cores}; load average at the start {load:.2f}",
            f"- {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC: `{shlex.join(sys.argv)}`"]


def publish(lines, file):
    print("\n".join(lines), flush=True)
    if file:
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    print(json.dumps({"versions": versions}[sys.argv[1]](*sys.argv[2:])), flush=True)
