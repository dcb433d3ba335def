// RecordingTable: collects the rows of a recording while a file is read, and turns values into positions. Rules for odd
// values and rows: docs/formats/recordings.md. One thread.
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
  // Adds a parameter with its values. Without a list, its values are those of the rows, with numbers ascending. Throws
  // UsageError for a second parameter of one name.
  void add_parameter(const std::string& name, const std::optional<std::vector<Value>>& values);
  // Adds a row, with one value for each parameter, in their order. If several rows have one configuration, the last one
  // counts, at the place of the first. Throws UsageError when a parameter has more values than a search space allows,
  // and for impossible times.
  void add_row(const std::vector<Value>& values, RecordedTrial trial);

  std::size_t rows() const noexcept { return trials_.size(); }
  // Moves parameters and trials into `recording`, and makes the values of each parameter one kind. Throws UsageError
  // when two values become equal that way.
  void finish(Recording& recording) &&;

 private:
  struct TableColumn {
    Parameter parameter;
    bool listed = false;
    std::unordered_map<std::string, std::uint16_t> positions;  // by a text that is the same for equal values
    std::uint16_t position_of(const Value& value);
    void sort(std::vector<RecordedTrial>& trials, std::size_t column);
  };
  std::vector<TableColumn> columns_;
  std::vector<RecordedTrial> trials_;
  std::unordered_map<std::string, std::size_t> known_;  // by the bytes of the row: the position in trials_
};

// Returns a text that is the same for values that Python calls equal: True, 1 and 1.0 are one value.
std::string equality_text(const Value& value);

// Returns any text as an identifier: characters that no identifier has become `_`, and "" becomes `kernel`.
std::string identifier_of(std::string_view text);

}  // namespace attune
