// The tuned text: the records and covers of a kernel on a class of devices, one line each, for people to review and to
// commit (docs/formats/tuned.md). Pure.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/cover.hpp"
#include "core/record.hpp"

namespace attune {

inline constexpr std::string_view tuned_extension = ".tuned";

struct TunedText {
  std::vector<Record> records;  // only key_fields() and application_fields()
  std::vector<Cover> covers;
  std::vector<std::string> damage;  // why a line was left out, each with its place: "reduce.tuned:12: ..."
  int unknown = 0;                  // lines of kinds that this version does not know
};

// Reads a text. `name`: of its file, for messages. Throws Error if the text is not of this format and version. Safe on
// any bytes.
TunedText read_tuned_text(std::string_view text, const std::string& name);

// Returns the files of these records and covers: for each kernel and device class the name of the file and its text. Of
// a kernel whose code changed, only those of the newest one's code and contract are written. Throws UsageError for a
// text that a line cannot hold.
std::map<std::string, std::string> tuned_files(std::span<const Record> records, std::span<const Cover> covers = {});

}  // namespace attune
