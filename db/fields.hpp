// The fields of the types that only the store knows, in one list per type; core/record_fields.hpp has those of records.
#pragma once

#include "core/record_fields.hpp"
#include "db/wisdom_store.hpp"

namespace attune {

// All fields except those of the record's key, the row's id and its number of trials.
void fields(auto&& visit, Is<SessionRow> auto& x) {
  visit("uuid", x.uuid);
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
  visit("constants", x.constants);
  visit("started_ms", x.started_ms);
}
static_assert(member_count<SessionKey>() == 4 && member_count<SessionRow>() == 15, "every member is in the list");

void fields(auto&& visit, Is<Attempt> auto& x) {
  visit("configuration", x.configuration);
  visit("begun", x.begun);
  visit("alone", x.alone);
}
static_assert(member_count<Attempt>() == 3, "every member is in the list");

}  // namespace attune
