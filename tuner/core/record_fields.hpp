// The fields of records and of what is stored with them, in one list each. Rows, INSERTs, hashes, JSON, CSV, pages of
// bundles and tests are made from these lists. `fields(visit, x)` calls visit(name, member) for each field; `x` is
// const, or is to be filled.
#pragma once

#include "base/field_list.hpp"
#include "base/member_count.hpp"
#include "core/board_result.hpp"
#include "core/ceiling.hpp"
#include "core/cover.hpp"
#include "core/finalist_result.hpp"
#include "core/record.hpp"
#include "core/trial.hpp"

namespace attune {

// Visits the part of a key that tables share and that views spell out.
void key_fields(auto&& visit, Is<RecordKey> auto& x) {
  visit("kernel", x.kernel);
  visit("code", x.code);
  visit("contract", x.contract);
  visit("device_class", x.device_class);
  visit("problem", x.problem);
}

// Visits what applications read besides the fields of the key. The list is frozen: a different list needs a new view
// (docs/formats/wisdom.md).
void application_fields(auto&& visit, Is<Record> auto& x) {
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
  visit("narrowed", x.narrowed);
  visit("origin", x.origin);
  visit("superseded", x.superseded);
  visit("unstable", x.unstable);
  visit("default_verdict", x.default_verdict);
  visit("self_checked", x.self_checked);
  visit("trials", x.trials);
  visit("toolchain", x.toolchain);
  visit("driver", x.driver);
  visit("attune_version", x.attune_version);
  visit("protocol", x.protocol);
  visit("made_ms", x.made_ms);
}

// Visits all fields but those of the key. A new field needs a line at the end, and a column in db/schema.sql.
void fields(auto&& visit, Is<Record> auto& x) {
  application_fields(visit, x);
  visit("space", x.space);
  visit("seed", x.seed);
  visit("device_uuid", x.device_uuid);
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
  visit("choice", x.choice);
  visit("settled", x.settled);
  visit("source", x.source);
  visit("boards", x.boards);
  visit("boards_differ", x.boards_differ);
}
static_assert(member_count<RecordKey>() == 7 && member_count<Record>() == 44, "every member is in a list");

void fields(auto&& visit, Is<BoardResult> auto& x) {
  visit("uuid", x.uuid);
  visit("rounds", x.rounds);
  visit("median_ns", x.median_ns);
  visit("speedup", x.speedup);
}
static_assert(member_count<BoardResult>() == 4, "every member is in the list");

// Visits what was measured of a trial or a finalist.
void fields(auto&& visit, Is<Measurement> auto& x) {
  visit("samples_ns", x.samples_ns);
  visit("min_ns", x.min_ns);
  visit("q1_ns", x.q1_ns);
  visit("median_ns", x.median_ns);
  visit("q3_ns", x.q3_ns);
}
static_assert(member_count<Measurement>() == 5, "every member is in the list");

void fields(auto&& visit, Is<Numerics> auto& x) {
  visit("max_error", x.max_absolute);
  visit("max_relative", x.max_relative);
  visit("max_share", x.max_share);
  visit("max_ulp", x.max_ulp);
}
static_assert(member_count<Numerics>() == 4, "every member is in the list");

void fields(auto&& visit, Is<FinalistResult> auto& x) {
  visit("configuration", x.configuration);
  fields(visit, x.measurement);
  visit("objectives", x.objective_values);
  visit("pareto", x.pareto);
  visit("energy_j", x.energy_j);
  visit("energy_error", x.energy_error);
  fields(visit, x.numerics);
  visit("deterministic", x.deterministic);
  visit("registers", x.registers);
  visit("shared_bytes", x.shared_bytes);
}
static_assert(member_count<FinalistResult>() == 10, "every member is in the list");

void fields(auto&& visit, Is<ResourceUsage> auto& x) {
  visit("registers", x.registers);
  visit("shared_static", x.shared_static);
  visit("local_bytes", x.local_bytes);
  visit("spill_bytes", x.spill_bytes);
  visit("constant_bytes", x.constant_bytes);
}
static_assert(member_count<ResourceUsage>() == 5, "every member is in the list");

void fields(auto&& visit, Is<Trial> auto& x) {
  visit("configuration", x.configuration);
  visit("verdict", x.verdict);
  visit("detail", x.detail);
  fields(visit, x.measurement);
  visit("compile_ms", x.compile_ms);
  fields(visit, x.usage);
  fields(visit, x.numerics);
  visit("self_checked", x.self_checked);
  visit("anchor_ns", x.anchor_ns);
  visit("batch", x.batch);
  visit("attempts", x.attempts);
  visit("made_ms", x.made_ms);
  visit("worker", x.worker);
  visit("shapes", x.shapes);
  visit("deaths", x.deaths);
  visit("board", x.board);
}
static_assert(member_count<Trial>() == 16, "every member is in the list");

void fields(auto&& visit, Is<Ceiling> auto& x) {
  visit("name", x.name);
  visit("value", x.value);
  visit("unit", x.unit);
  visit("detail", x.detail);
  visit("driver", x.driver);
  visit("attune_version", x.attune_version);
  visit("made_ms", x.made_ms);
}
static_assert(member_count<Ceiling>() == 7, "every member is in the list");

// Visits what is stored of a cover besides its kernel and device class.
void application_fields(auto&& visit, Is<Cover> auto& x) {
  visit("regime", x.key.regime);
  visit("objective", x.key.objective);
  visit("device_name", x.device_name);
  visit("configurations", x.configurations);
  visit("tree", x.tree);
  visit("measured", x.measured);
  visit("problems", x.problems);
  visit("mean_loss", x.mean_loss);
  visit("worst_loss", x.worst_loss);
  visit("protocol", x.protocol);
  visit("attune_version", x.attune_version);
  visit("made_ms", x.made_ms);
}

// Visits all that is stored of a cover. Applications read all of it.
void fields(auto&& visit, Is<Cover> auto& x) {
  visit("kernel", x.key.kernel);
  visit("code", x.key.code);
  visit("contract", x.key.contract);
  visit("device_class", x.key.device_class);
  application_fields(visit, x);
}
static_assert(member_count<Cover>() == 11, "every member is in the list");

}  // namespace attune
