// RecordIndex: what the records of one kernel text in a bundle share, each thing once. The rows themselves are in pages
// (docs/formats/bundle.md). Plain values.
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
  SectionKey key{};                     // key of the page's section: the SHA-256 of the page
  std::vector<std::int64_t> low, high;  // least and greatest ordinal of each problem value over the rows
};

// The rows of one device class, regime and objective, with the values for which look-ups ask.
struct RecordGroup {
  std::string kernel;  // name
  std::string objective, regime, device_class;
  int compute_capability = 0;
  std::vector<RecordPage> pages;
};

struct RecordIndex {
  std::string code, contract;                            // fingerprints
  std::vector<std::string> problem;                      // names, in the order of [problem]
  std::vector<std::vector<std::string>> configurations;  // names of parameters; usually one list
  std::vector<Value> values;                             // values that are not integers, each once
  std::vector<std::string> texts;                        // texts of rows, each once: names of devices, drivers, ...
  std::vector<RecordGroup> groups;
};

// Returns the key of the section for a kernel's fingerprints.
SectionKey record_index_key(const std::string& code, const std::string& contract);

// Returns the number that stands for a value in pages and their bounds: for an integer itself, else the value's place
// in `values`. Returns nothing if the value is not in the index.
std::optional<std::int64_t> ordinal_of(const RecordIndex& index, const Value& value);

std::vector<std::byte> encode(const RecordIndex& index);
// Returns the index, or nothing if the bytes are damaged or of another version. Safe on any bytes.
std::optional<RecordIndex> decode_record_index(std::span<const std::byte> bytes);

}  // namespace attune
