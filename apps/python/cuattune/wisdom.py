"""What was measured: looked into, brought in, handed on, corrected.

Each function is the command of `attune` with its name, and takes the command's options as keywords, as
`cuattune.run()` does: db="FILE" chooses the database (else ATTUNE_DB, else the user's own), problem="n=1000" and
device="H200" choose among problems and devices. A kernel is a Kernel, a torch operator, a built-in name or a path.
"""

import os
from typing import Any

from ._results import Record, Row, Rows, Trial
from ._tuning import run

Path = str | os.PathLike[str]


def list(**options: Any) -> Rows[Row]:  # noqa: A001
    """Returns the kernels that are known, with how many records, trials and sessions each has."""
    return run("list", **options)


def show(kernel: Any, **options: Any) -> Rows[Row]:
    """Returns what is stored of a kernel, record by record. Options: problem, device, limit."""
    return run("show", kernel, **options)


def records(kernel: Any, **options: Any) -> Rows[Record]:
    """Returns the records that serve for a kernel. Options are those of show()."""
    return show(kernel, **options).of("record")  # type: ignore[return-value]


def sessions(*kernel: Any, **options: Any) -> Rows[Row]:
    """Returns the stored searches of one kernel, or all, the newest first. Options: problem, device, limit."""
    return run("sessions", *kernel, **options)


def trials(kernel: Any, **options: Any) -> Rows[Trial]:
    """Returns what was tried. Options: problem, device, verdict="wrong_result,guard", sort="time", limit."""
    return run("trials", kernel, **options)  # type: ignore[return-value]


def pin(kernel: Any, **options: Any) -> Rows[Row]:
    """Sets the configuration of a problem, which no search replaces. Options: problem, configuration, device, regime,
    objective; remove=True takes pins off."""
    return run("pin", kernel, **options)


def forget(*kernel: Any, **options: Any) -> Rows[Row]:
    """Removes records and sessions with their trials, and returns how many. Options: problem, device, records=True,
    sessions=True, session=17, all=True (without a kernel), dry_run=True."""
    return run("forget", *kernel, **options)


def drift(a: Path, b: Path, *kernel: Any, **options: Any) -> Rows[Row]:
    """Returns which records of two databases differ by more than their intervals allow. all=True: the others too."""
    return run("drift", a, b, *kernel, **options)


def verify(*file: Path, **options: Any) -> Row:
    """Reads a database to its last row, and returns what it holds. Raises Error where it is damaged."""
    return run("db verify", *file, **options)[0]


def compact(*file: Path, **options: Any) -> Row:
    """Writes a database's file anew without the space of what is gone."""
    return run("db compact", *file, **options)[0]


def adopt(kernel: Any, **options: Any) -> str:
    """Takes records over for a kernel whose code changed, until they are measured again, and returns which.

    Options: from_ (the earlier code), problem, device, dry_run=True.
    """
    return run("adopt", kernel, **options).text


def export(path: Path, *kernels: Any, format: str = "json", **options: Any) -> str:  # noqa: A002
    """Writes records to a file (or, format "tuned", a folder), and returns the program's words.

    kernels: of these alone; formats "bundle" and "header" need them. Options: device, problem, regime, ...
    """
    where = [path, *kernels] if format == "tuned" else kernels
    return run("export", *where, format=format, output=None if format == "tuned" else path, **options).text


def import_(*files: Path, **options: Any) -> str:
    """Brings in records and databases of attune, files of other tuners and tables; returns what came in.

    Options: kernel, problem, device_class, map, dry_run=True.
    """
    return run("import", *files, **options).text


def merge(*databases: Path, **options: Any) -> str:
    """Joins databases of your own into one: into="FILE", else the user's. Returns what came in. dry_run=True: would."""
    return run("merge", *databases, **options).text
