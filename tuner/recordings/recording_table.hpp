// The rows of a recording while a file is read: values become positions. Rules for odd values and rows:
// docs/formats/recordings.md. One thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "space/recording.hpp"

namespace attune {

class RecordingTable {
 public:
  // Adds a parameter with its values. Without a list, the rows give the values, numbers ascending.
  void add_parameter(const std::string& name, const std::optional<std::vector<Value>>& values);
  // Adds one value for each parameter, in order. The last row of a configuration counts, at the place of the first.
  // Throws UsageError when a parameter has more values than a search space allows, and for impossible times.
  void add_row(const std::vector<Value>& values, RecordedTrial trial);

  std::size_t rows() const noexcept { return trials_.size(); }
  // Moves parameters and trials into `recording`. Throws UsageError when two values become one.
  void finish(Recording& recording) &&;

 private:
  struct Column {
    Parameter parameter;
    bool listed = false;
    std::unordered_map<std::string, std::uint16_t> positions;  // by equality text
    std::uint16_t position_of(const Value& value);
    void sort(std::vector<RecordedTrial>& trials, std::size_t column);
  };
  std::vector<Column> columns_;
  std::vector<RecordedTrial> trials_;
  std::unordered_map<std::string, std::size_t> known_;  // the bytes of a row
};

// Returns any text as an identifier: other characters become `_`; "" becomes `kernel`.
std::string identifier_of(std::string_view text);

}  // namespace attune
