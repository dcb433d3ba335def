// RecordIndex: the records of one kernel text in a bundle, less their rows: these stand in pages, and what rows share
// stands here once (docs/formats/bundle.md). Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "attune/bundle.hpp"
#include "attune/value.hpp"

namespace attune {

struct RecordPage {
  SectionKey key{};                     // of the section, which is the SHA-256 of the page
  std::vector<std::int64_t> low, high;  // of each problem value, over the rows: its ordinal
};

// The rows of one device class, of one regime and objective: what look-ups ask for stands here too.
struct RecordGroup {
  std::string kernel;  // name
  std::string objective, regime, device_class;
  int compute_capability = 0;
  std::vector<RecordPage> pages;
};

struct RecordIndex {
  std::string code, contract;                            // fingerprints
  std::vector<std::string> problem;                      // names, in the order of [problem]
  std::vector<std::vector<std::string>> configurations;  // names; usually one list
  std::vector<Value> values;                             // that are no integers, each once
  std::vector<std::string> texts;                        // of rows, each once: names of devices, drivers ...
  std::vector<RecordGroup> groups;
};

// Returns the key of the section for a kernel's fingerprints.
SectionKey record_index_key(const std::string& code, const std::string& contract);

// Returns the number that stands for a value in pages and their bounds: an integer itself, else its place in the table.
std::optional<std::int64_t> ordinal_of(const RecordIndex& index, const Value& value);

std::vector<std::byte> encode(const RecordIndex& index);
// Returns nothing for bytes that are damaged or of another version. Safe on any bytes.
std::optional<RecordIndex> decode_record_index(std::span<const std::byte> bytes);

}  // namespace attune
