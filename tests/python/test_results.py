"""Results are objects that print as tables with intervals."""

import copy
import pickle
import sys

import cuattune as at
import pytest

BEST = {"type": "row", "regime": "cold", "name": "1", "configuration": {"TILE": 64, "FAST": True}, "verdict": "ok",
        "median_ns": 12345.0, "median_ns_low": 12100.0, "median_ns_high": 12500.0,
        "speedup": 1.2713, "speedup_low": 1.2401, "speedup_high": 1.2999}
FIRST = {"type": "row", "regime": "cold", "name": "default", "configuration": {"TILE": 32, "FAST": True},
         "verdict": "ok", "median_ns": 15700.0}


def rows_of(*lines, **options):
    from cuattune import _results
    return at.Rows([_results.row(line) for line in lines], **options)


def test_fields_are_attributes():
    best = rows_of(BEST)[0]
    assert isinstance(best, at.ComparisonRow) and best.speedup == 1.2713 and best.configuration["TILE"] == 64
    assert best.detail is None, "known, and not printed"
    with pytest.raises(AttributeError, match="has no field `speedupp`; its fields: type, regime"):
        best.speedupp
    with pytest.raises(AttributeError, match="frozen"):
        best.speedup = 2
    assert "speedup" in dir(best) and "median_ns=12345.0" in repr(best)
    assert best == rows_of(BEST)[0] != rows_of(FIRST)[0] and hash(best) == hash(rows_of(BEST)[0])
    assert pickle.loads(pickle.dumps(best)) == copy.deepcopy(best) == best


def test_counts_beyond_53_bits_are_integers():
    assert rows_of({"type": "space", "legal": "18446744073709551617"})[0].legal == 2**64 + 1


def test_tables_print_medians_with_intervals():
    assert str(rows_of(FIRST, BEST)) == (
        "regime  name     verdict  time [95 %]           speed-up [95 %]    configuration\n"
        "cold    default  ok       15.7 us                                  TILE=32\n"
        "cold    1        ok       12.3 us [12.1, 12.5]  1.27x [1.24, 1.30]  TILE=64\n"
        "all: FAST=true").replace("speed-up [95 %]    ", "speed-up [95 %]     ").replace(
            "15.7 us                                  T", "15.7 us                                   T")
    assert str(rows_of(BEST)[0]).splitlines()[1].endswith("TILE=64 FAST=true")


def test_a_record_prints_the_quartiles_of_its_times():
    record = rows_of({"type": "record", "kernel": "k", "problem": {"n": 5}, "median_ns": 999.6, "q1_ns": 990.0,
                      "q3_ns": 1100.0, "speedup": 2.0, "speedup_low": 1.5, "speedup_high": 2.5})[0]
    assert isinstance(record, at.Record)
    assert "time [quartiles]" in str(record) and "1.00 us [0.99, 1.10]" in str(record)
    assert "2.00x [1.50, 2.50]" in str(record)


def test_rows_of_several_types_are_tables_of_their_own():
    head = {"type": "bench", "kernel": "k", "problem": {"n": 5}, "device": {"name": "GPU"}}
    rows = rows_of(FIRST, {"type": "kernel", "kernel": "k", "records": 3}, head=rows_of(head)[0], notes=["one note"])
    assert str(rows).splitlines() == [
        "k for n=5 on GPU", "regime  name     verdict  time     configuration",
        "cold    default  ok       15.7 us  TILE=32 FAST=true", "kernel  records", "k       3", "note: one note"]
    assert [one.records for one in rows.of("kernel")] == [3]
    assert rows_of(FIRST)._repr_html_().startswith("<pre>regime")


def test_dictionaries_and_frames_hold_all_fields():
    assert rows_of(BEST)[0].to_dict() == BEST and rows_of(FIRST, BEST).to_dict() == [FIRST, BEST]
    assert rows_of(BEST)[0].__class__(rows_of(BEST)[0].to_dict()) == rows_of(BEST)[0]
    pytest.importorskip("pandas")
    frame = rows_of(FIRST, BEST).to_pandas()
    assert list(frame["configuration.TILE"]) == [32, 64] and frame["median_ns"][1] == 12345.0
    assert len(rows_of(BEST)[0].to_pandas()) == 1


def test_without_pandas_the_next_step_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        rows_of(BEST).to_pandas()


def test_a_result_prints_the_best_beside_the_default(scale):
    result = at.tune(scale(), limit=20, trials=2, n=2000)
    lines = str(result).splitlines()
    assert lines[0].startswith("scale for n=2000 T=float: partial, 2 trials")
    assert lines[1].split("  ")[0] == "time [quartiles]" and "speed-up [95 %]" in lines[1]
    assert "the default" in lines[3] and "1.00x" in lines[3]
    assert result.to_dict()["record"]["kernel"] == "scale" and result.to_dict()["tried"][0]["trial"] == 1
