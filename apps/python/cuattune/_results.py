"""What the program `attune` found, as objects that print as tables with intervals."""

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

Value = int | float | bool | str
Bindings = dict[str, Value]

# Counts that JSON has as texts, because they may exceed 2^53.
_COUNTS = {"cartesian", "index", "legal", "matching"}


class Row:
    """One line of `attune --json`. Its fields are attributes with the names of docs/command_line.md.

    A field that is annotated and was not printed is None. Frozen.
    """

    __slots__ = ("_fields",)
    _fields: dict[str, Any]
    _columns: Sequence[str] = ()  # of its table; (): the first fields that fit

    def __init__(self, fields: Mapping[str, Any]):
        object.__setattr__(self, "_fields", {
            name: int(value) if name in _COUNTS and isinstance(value, str) else value
            for name, value in fields.items()})

    def __getattr__(self, name: str) -> Any:
        if name in self._fields:
            return self._fields[name]
        if not name.startswith("_") and any(name in one.__annotations__ for one in type(self).__mro__[:-1]):
            return None
        raise AttributeError(f"{type(self).__name__} has no field `{name}`; its fields: {', '.join(self._fields)}")

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __reduce__(self) -> Any:
        return type(self), (self._fields,)

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self._fields]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Row) and self._fields == other._fields

    def __hash__(self) -> int:
        return hash(repr(self._fields))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._fields.items())})"

    def __str__(self) -> str:
        return table([self])

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    def to_dict(self) -> dict[str, Any]:
        """Returns the fields by their names; rows in them are dicts too."""
        return {name: _plain(value) for name, value in self._fields.items()}

    def to_pandas(self) -> Any:
        """Returns a DataFrame of one row; see Rows.to_pandas()."""
        return Rows([self]).to_pandas()


class Trial(Row):
    """One configuration that was tried. Times are in nanoseconds; `median_ns` is None unless the verdict is "ok"."""

    __slots__ = ()
    _columns = ("trial", "verdict", "median_ns", "new_best", "configuration", "detail")
    trial: int | None
    configuration: Bindings
    verdict: str
    median_ns: float | None
    detail: str | None
    new_best: bool | None
    best_ns: float | None
    default_ns: float | None
    compile_ms: float
    registers: int
    shared_bytes: int


class Record(Row):
    """The stored best of a problem on a device. `q1_ns`, `q3_ns`: quartiles of its times; `speedup_low`,
    `speedup_high`: the 95 % interval of its speed-up over the default."""

    __slots__ = ()
    _columns = ("kernel", "problem", "median_ns", "speedup", "effort", "partial", "origin", "configuration")
    kernel: str
    problem: Bindings
    configuration: Bindings
    device_name: str
    device_class: str
    regime: str
    objective: str
    median_ns: float
    q1_ns: float
    q3_ns: float
    default_ns: float
    speedup: float
    speedup_low: float
    speedup_high: float
    effort: str
    partial: bool
    origin: str
    trials: int
    uuid: str


class Match(Row):
    """What a launch takes for a problem, from which rung of the ladder, and why."""

    __slots__ = ()
    _columns = ("kernel", "problem", "rung", "configuration", "speedup", "why")
    kernel: str
    problem: Bindings
    rung: str
    why: str
    configuration: Bindings
    speedup: float | None
    record_problem: Bindings | None
    source: str
    reasons: "Rows[Row] | None"  # of plan(why=True): every record and cover, with what speaks for or against it


class ComparisonRow(Row):
    """One side of a comparison. `speedup` is over the row `over`; both figures have 95 % intervals."""

    __slots__ = ()
    _columns = ("regime", "name", "verdict", "median_ns", "speedup", "configuration", "detail")
    regime: str
    name: str
    configuration: Bindings | None
    verdict: str
    detail: str | None
    median_ns: float | None
    median_ns_low: float | None
    median_ns_high: float | None
    speedup: float | None
    speedup_low: float | None
    speedup_high: float | None
    over: str | None
    rounds: int | None


class Check(Row):
    """What became of one configuration: verdict, resources, the compiler's log, errors, one launch's time."""

    __slots__ = ()
    _columns = ("kernel", "problem", "verdict", "launch_ns", "max_error", "configuration", "detail")
    kernel: str
    problem: Bindings
    configuration: Bindings | None
    verdict: str
    detail: str | None
    log: str | None
    compile_ms: float | None
    launch_ns: float | None
    max_error: float | None


class TuneResult(Row):
    """What tune() found.

    end: "finished", "partial" (a limit came first; the same call goes on), "interrupted", "known" (nothing was
    searched), "stopped" (nearly everything failed alike) or "estimated" (nothing was measured).
    record: as stored, with intervals. finalists: the closest, as measured against each other. tried: the trials of
    this call. notes: what needs no action, such as a worker that died. Times are in nanoseconds.
    """

    __slots__ = ()
    kernel: str
    problem: Bindings
    end: str
    reason: str | None
    configuration: Bindings | None
    median_ns: float | None
    default_ns: float | None
    speedup: float | None
    trials: int
    explanation: str | None
    record: Record | None
    finalists: "Rows[Row]"
    tried: "Rows[Trial]"
    notes: tuple[str, ...]

    def __str__(self) -> str:
        problem = f" for {_bindings(self.problem)}" if self.problem else ""
        lines = [f"{self.kernel}{problem}: {self.end}, {self.trials} trials"]
        if self.record is not None:
            doubts = [name for name in ("busy", "unstable") if getattr(self.record, name)]
            lines[0] += "".join(f", {doubt} device" for doubt in doubts)
            default = {"configuration": "the default", "median_ns": self.default_ns or None, "speedup": 1.0}
            best = {name: getattr(self.record, name) for name in
                    ("configuration", "median_ns", "q1_ns", "q3_ns", "speedup", "speedup_low", "speedup_high")}
            columns = ("median_ns", "speedup", "configuration")
            if self.record.median_ns == self.default_ns:
                lines.append(table([Row(best)], columns) + ", which is the default")
            else:
                lines.append(table([Row(best), Row(default)], columns))
            if doubts:
                lines.append("the times scattered more than on a quiet device: repeat before you trust a small gain")
        elif self.configuration is not None:
            lines.append(_bindings(self.configuration))
        return "\n".join([*lines, *filter(None, [self.explanation]), *(f"note: {one}" for one in self.notes)])

    __repr__ = __str__


_ROW = TypeVar("_ROW", bound=Row)
_KINDS: dict[str, type[Row]] = {"trial": Trial, "record": Record, "other_record": Record, "match": Match,
                                "check": Check}
_GENERIC: dict[str, Sequence[str]] = {
    "finalist": ("median_ns", "deterministic", "max_error", "registers", "shared_bytes", "configuration"),
    "session": ("session", "kernel", "problem", "state", "trials", "best_ns", "gain", "configuration"),
    "drift": ("kernel", "problem", "drifts", "a_median_ns", "b_median_ns", "a_speedup", "b_speedup", "not_compared"),
    "row": ("name", "verdict", "median_ns", "over_last", "in_all", "published", "configuration", "detail"),
    "revalidated": ("kernel", "problem", "standing", "stored_ns", "record_ns", "default_ns", "configuration", "why"),
    "reason": ("place", "rung", "configuration", "why"),
}


class Rows(list[_ROW], Generic[_ROW]):
    """Rows of one command. head: what they are of (kernel, problem, device), where the command says it once.

    notes: what needs no action. text: what the command printed beside them. interrupted: Ctrl-C ended it early.
    """

    def __init__(self, rows: Iterable[_ROW] = (), head: Row | None = None, notes: Sequence[str] = (), text: str = "",
                 interrupted: bool = False):
        super().__init__(rows)
        self.head, self.notes, self.text, self.interrupted = head, tuple(notes), text, interrupted

    def of(self, type_name: str) -> "Rows[_ROW]":
        """Returns the rows of one type of line: "record", "trial", ..."""
        return Rows([one for one in self if getattr(one, "type", None) == type_name], self.head, self.notes)

    def to_dict(self) -> list[dict[str, Any]]:
        """Returns a dict for each row."""
        return [one.to_dict() for one in self]

    def to_pandas(self) -> Any:
        """Returns a DataFrame with a row for each; a configuration's parameters are columns `configuration.BLOCK`."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_pandas() needs pandas: pip install pandas (to_dict() needs nothing)") from error
        return pandas.json_normalize(self.to_dict())

    def __str__(self) -> str:
        types = dict.fromkeys(getattr(one, "type", None) for one in self)
        groups = [[one for one in self if getattr(one, "type", None) == name] for name in types]
        parts = [self.text.rstrip(), *(table(group) for group in groups), *(f"note: {one}" for one in self.notes)]
        if self.head is not None and "kernel" in self.head._fields:
            device = self.head._fields.get("device", {}).get("name", "")
            parts.insert(0, f"{self.head.kernel} for {_bindings(self.head.problem)} on {device}")
        return "\n".join(filter(None, parts)) or "no rows"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def row(line: Mapping[str, Any]) -> Row:
    """Returns the row of a line of JSON: a Trial, Record, Match, Check or ComparisonRow, or else a Row."""
    if line.get("type") == "row" and "regime" in line:
        return ComparisonRow(line)
    return _KINDS.get(line.get("type", ""), Row)(line)


def table(rows: Sequence[Row], columns: Sequence[str] = ()) -> str:
    """Returns a table of rows of one kind. A figure with an interval is written "12.3 us [12.1, 12.5]".

    columns: names of fields, in order; (): those of the kind. Columns without a value are left out.
    """
    if not rows:
        return ""
    named = columns or type(rows[0])._columns or _GENERIC.get(rows[0]._fields.get("type", ""), ())
    wanted = named or _plain_fields(rows)
    shown = [name for name in wanted if any(_cell(one._fields, name) for one in rows)]
    common = _common(rows) if "configuration" in shown else {}
    cells = [[_heading(name, rows) for name in shown]]
    cells += [[_cell(_without(one._fields, common), name) for name in shown] for one in rows]
    widths = [max(len(line[at]) for line in cells) for at in range(len(shown))]
    lines = ["  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip() for line in cells]
    return "\n".join([*lines, *([f"all: {_bindings(common)}"] if common else [])])


def _common(rows: Sequence[Row]) -> dict[str, Any]:
    """Returns the parameters that have one value in all configurations of several rows."""
    all_of = [one._fields["configuration"] for one in rows if isinstance(one._fields.get("configuration"), Mapping)]
    if len(all_of) < 2 or all(one == all_of[0] for one in all_of):
        return {}
    return {name: value for name, value in all_of[0].items()
            if all(name in one and one[name] == value for one in all_of)}


def _without(fields: Mapping[str, Any], common: Mapping[str, Any]) -> Mapping[str, Any]:
    configuration = fields.get("configuration")
    if not isinstance(configuration, Mapping):
        return fields
    return {**fields, "configuration": {name: value for name, value in configuration.items() if name not in common}}


def time_text(nanoseconds: float) -> str:
    """Returns a time with three digits: "12.3 us"."""
    return " ".join(_scaled(nanoseconds, _unit(nanoseconds)))


def _unit(nanoseconds: float) -> tuple[float, str]:
    for size, name in ((1e9, "s"), (1e6, "ms"), (1e3, "us")):
        if nanoseconds >= size * 0.9995:
            return size, name
    return 1, "ns"


def _scaled(nanoseconds: float, unit: tuple[float, str]) -> tuple[str, str]:
    value = nanoseconds / unit[0]
    return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f}", unit[1]


def _plain_fields(rows: Sequence[Row]) -> list[str]:
    names = dict.fromkeys(name for one in rows for name, value in one._fields.items()
                          if name != "type" and not isinstance(value, (list, tuple, Row)))
    return list(names)[:8]


# How the interval of a figure is called in its heading, by the ends of the names of its bounds.
_BOUNDS = (("_low", "_high", "95 %"), ("q1", "q3", "quartiles"))


def _bounds(fields: Mapping[str, Any], name: str) -> tuple[float, float, str] | None:
    for low, high, kind in _BOUNDS:
        names = [name.replace("median", end) if end.startswith("q") else name + end for end in (low, high)]
        if fields.get(names[0]) is not None and fields.get(names[1]) is not None and names[0] != name:
            return fields[names[0]], fields[names[1]], kind
    return None


def _heading(name: str, rows: Sequence[Row]) -> str:
    title = {"median_ns": "time", "speedup": "speed-up"}.get(name, name.removesuffix("_ns").replace("_", " "))
    kinds = {bounds[2] for one in rows if (bounds := _bounds(one._fields, name))}
    return f"{title} [{kinds.pop()}]" if len(kinds) == 1 else title


def _cell(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if value is None:
        return ""
    bounds = _bounds(fields, name)
    if name.endswith("_ns"):
        unit = _unit(value)
        interval = f" [{_scaled(bounds[0], unit)[0]}, {_scaled(bounds[1], unit)[0]}]" if bounds else ""
        return " ".join(_scaled(value, unit)) + interval
    if name in ("gain", "over_last", "in_all") or "speedup" in name:
        return f"{value:.2f}x" + (f" [{bounds[0]:.2f}, {bounds[1]:.2f}]" if bounds else "")
    return _text(value)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return _bindings(value)
    return f"{value:.4g}" if isinstance(value, float) else str(value).strip().partition("\n")[0]


def _bindings(values: Mapping[str, Any] | str | None) -> str:
    if not isinstance(values, Mapping):
        return values or ""
    return " ".join(f"{name}={str(value).lower() if isinstance(value, bool) else value}"
                    for name, value in values.items())


def _plain(value: Any) -> Any:
    if isinstance(value, Row):
        return value.to_dict()
    return [_plain(one) for one in value] if isinstance(value, (list, tuple)) else value
