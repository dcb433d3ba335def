// A file to import: what it is, by its content, and what it brings.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "imports/recorded_parts.hpp"

namespace attune {

enum class ImportFormat { records_json, records_csv, wisdom, recording, table };

// Files of the first three formats carry the keys of what they hold. The others need an ImportTarget.
constexpr bool carries_keys(ImportFormat format) {
  return format == ImportFormat::records_json || format == ImportFormat::records_csv || format == ImportFormat::wisdom;
}

// A file whose content is read as far as its format. Throws UsageError for a file that is missing, no regular file,
// unreadable, too large (64 MiB; recordings may be larger) or of no format that is known.
class ImportFile {
 public:
  explicit ImportFile(std::filesystem::path file);

  ImportFormat format() const noexcept { return format_; }
  // Returns what records the text of attune holds, each as brought in from there; those of one kernel, if it is named.
  // `notes` gets a sentence on what was ignored. Throws UsageError.
  WisdomParts records(const std::string& kernel, std::vector<std::string>& notes) const;
  // Returns what the file of another tool brings. Throws UsageError.
  RecordedParts recorded(const ImportTarget& target) const;
  // Returns the problem as the file says it; "" where it says nothing.
  const std::string& own_problem() const noexcept { return recording_.problem; }
  // Returns what the file says itself of kernel, problem and device, for a message; "" where it says nothing.
  std::string own_words() const;

 private:
  std::filesystem::path file_;
  ImportFormat format_ = ImportFormat::wisdom;
  std::string text_;     // of a text of attune, or a table
  Recording recording_;  // of another tool
};

}  // namespace attune
