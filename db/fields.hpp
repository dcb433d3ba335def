// The fields of every stored type, in one list each. Rows, INSERTs, the row hash, the JSON form and the tests use it.
// `fields(visit, x)` calls visit(column, member) for each; `x` is const, or is to be filled.
#pragma once

#include "core/ceiling.hpp"
#include "core/field_list.hpp"
#include "core/finalist_result.hpp"
#include "core/record.hpp"
#include "core/trial.hpp"
#include "db/wisdom_store.hpp"

namespace attune {

// The part of a key that other tables refer to and views contain.
void key_fields(auto&& visit, Is<RecordKey> auto& x) {
  visit("kernel", x.kernel);
  visit("code", x.code);
  visit("contract", x.contract);
  visit("device_class", x.device_class);
  visit("problem", x.problem);
}

// The order of the row hash: append only, with a new format. Every record has these.
void first_fields(auto&& visit, Is<Record> auto& x) {
  visit("uuid", x.uuid);
  visit("regime", x.key.regime);
  visit("objective", x.key.objective);
  visit("device_name", x.device_name);
  visit("compute_capability", x.compute_capability);
  visit("multiprocessors", x.multiprocessors);
  visit("configuration", x.configuration);
  visit("median_ns", x.median_ns);
  visit("default_ns", x.default_ns);
  visit("speedup", x.speedup);
  visit("speedup_low", x.speedup_low);
  visit("speedup_high", x.speedup_high);
  visit("effort", x.effort);
  visit("partial", x.partial);
  visit("unstable", x.unstable);
  visit("self_checked", x.self_checked);
  visit("space", x.space);
  visit("toolchain", x.toolchain);
  visit("driver", x.driver);
  visit("device_uuid", x.device_uuid);
  visit("attune_version", x.attune_version);
  visit("protocol", x.protocol);
  visit("seed", x.seed);
  visit("trials", x.trials);
  visit("made_ms", x.made_ms);
}

// The fields of records since protocol 3.
void condition_fields(auto&& visit, Is<Record> auto& x) {
  visit("min_ns", x.min_ns);
  visit("q1_ns", x.q1_ns);
  visit("q3_ns", x.q3_ns);
  visit("batch", x.batch);
  visit("rounds", x.rounds);
  visit("rounds_dropped", x.rounds_dropped);
  visit("sm_clock_mhz", x.sm_clock_mhz);
  visit("anchor_ratio", x.anchor_ratio);
  visit("busy", x.busy);
  visit("value", x.value);
  visit("default_value", x.default_value);
}

void fields(auto&& visit, Is<Record> auto& x) {
  first_fields(visit, x);
  condition_fields(visit, x);
}

// The fields that a record of its protocol has: its hash covers them, and they are read of its row.
void known_fields(auto&& visit, Is<Record> auto& x) {
  first_fields(visit, x);
  if (x.protocol >= 3) condition_fields(visit, x);
}

// The columns of `finalist`, without the id of its record.
void fields(auto&& visit, Is<FinalistResult> auto& x) {
  visit("configuration", x.configuration);
  visit("samples_ns", x.measurement.samples_ns);
  visit("min_ns", x.measurement.min_ns);
  visit("q1_ns", x.measurement.q1_ns);
  visit("median_ns", x.measurement.median_ns);
  visit("q3_ns", x.measurement.q3_ns);
  visit("objectives", x.objective_values);
  visit("pareto", x.pareto);
  visit("energy_j", x.energy_j);
  visit("energy_error", x.energy_error);
  visit("max_error", x.numerics.max_absolute);
  visit("max_relative", x.numerics.max_relative);
  visit("max_ulp", x.numerics.max_ulp);
  visit("deterministic", x.deterministic);
  visit("registers", x.registers);
  visit("shared_bytes", x.shared_bytes);
}

void fields(auto&& visit, Is<SessionRow> auto& x) {
  visit("regime", x.key.record.regime);
  visit("objective", x.key.record.objective);
  visit("space", x.key.space);
  visit("effort", x.key.effort);
  visit("strategy", x.key.strategy);
  visit("state", x.state);
  visit("seed", x.seed);
  visit("used_seconds", x.used_seconds);
  visit("toolchain", x.toolchain);
  visit("driver", x.driver);
  visit("device_uuid", x.device_uuid);
  visit("host", x.host);
  visit("attune_version", x.attune_version);
  visit("protocol", x.protocol);
  visit("started_ms", x.started_ms);
}

void fields(auto&& visit, Is<Trial> auto& x) {
  visit("configuration", x.configuration);
  visit("verdict", x.verdict);
  visit("detail", x.detail);
  visit("samples_ns", x.measurement.samples_ns);
  visit("min_ns", x.measurement.min_ns);
  visit("q1_ns", x.measurement.q1_ns);
  visit("median_ns", x.measurement.median_ns);
  visit("q3_ns", x.measurement.q3_ns);
  visit("compile_ms", x.compile_ms);
  visit("registers", x.usage.registers);
  visit("shared_static", x.usage.shared_static);
  visit("local_bytes", x.usage.local_bytes);
  visit("spill_bytes", x.usage.spill_bytes);
  visit("constant_bytes", x.usage.constant_bytes);
  visit("max_error", x.numerics.max_absolute);
  visit("self_checked", x.self_checked);
  visit("anchor_ns", x.anchor_ns);
  visit("attempts", x.attempts);
  visit("batch", x.batch);
  visit("max_relative", x.numerics.max_relative);
  visit("max_ulp", x.numerics.max_ulp);
  visit("made_ms", x.made_ms);
  visit("worker", x.worker);
  visit("shapes", x.shapes);
  visit("deaths", x.deaths);
}

void fields(auto&& visit, Is<Attempt> auto& x) {
  visit("configuration", x.configuration);
  visit("begun", x.begun);
  visit("alone", x.alone);
}

void fields(auto&& visit, Is<Ceiling> auto& x) {
  visit("name", x.name);
  visit("value", x.value);
  visit("unit", x.unit);
  visit("detail", x.detail);
  visit("driver", x.driver);
  visit("attune_version", x.attune_version);
  visit("made_ms", x.made_ms);
}

}  // namespace attune
