#include "imports/import_file.hpp"

#include <fmt/format.h>

#include <utility>

#include "attune/error.hpp"
#include "base/counted.hpp"
#include "files/sqlite_header.hpp"
#include "imports/csv_rows.hpp"
#include "imports/foreign_wisdom.hpp"
#include "imports/read_records.hpp"
#include "imports/times_table.hpp"
#include "recordings/compressed_text.hpp"
#include "recordings/recording_file.hpp"

namespace attune {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::size_t most_file_bytes = std::size_t{64} << 20;  // of records and tables

// Puts the name of the file before the message of an error in the file.
template <typename Read>
auto in_file(const std::filesystem::path& file, Read read) {
  try {
    return read();
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", file.string(), error.what()));
  }
}

// Refuses what attune writes for applications and other tools, and says where it is read.
void refuse_other_outputs(std::string_view text) {
  constexpr std::pair<std::string_view, std::string_view> outputs[] = {
      {"attune tuned ",
       "a tuned file is read where it lies, not imported: attune plan --wisdom FOLDER shows it; applications read it "
       "by "
       "ATTUNE_OVERRIDE, ATTUNE_SITE, DispatcherOptions::wisdom or attune_embed(... WISDOM FOLDER)"},
      {"attuneBN", "a bundle is for applications, not imported; import what attune export writes of the same database"},
      {"{\"op_code\"", "a journal of Optuna is written and not read; import T4 results or a cache of Kernel Tuner"},
  };
  for (const auto& [begin, use] : outputs)
    if (text.starts_with(begin)) throw UsageError(std::string(use));
}

// Returns whether the text is an object that says first that it is attune's.
bool is_of_attune(std::string_view text) {
  constexpr std::size_t most_before = 4096;
  const std::string_view head = text.substr(0, most_before);
  return head.find("\"attune-wisdom\"") != std::string_view::npos && head.find("\"format\"") != std::string_view::npos;
}

ImportFormat format_of_table(std::string_view text) {
  const auto end = text.find('\n');
  const auto first_line = text.substr(0, end == std::string_view::npos ? end : end + 1);
  return names_columns_of_records(csv_rows(first_line).front()) ? ImportFormat::records_csv : ImportFormat::table;
}

}  // namespace

ImportFile::ImportFile(std::filesystem::path file) : file_(std::move(file)) {
  check_regular_file(file_);
  if (sqlite_application_id(file_)) return;  // whose it is, is seen when it is joined
  text_ = read_text(file_);
  if (text_.starts_with(byte_order_mark)) text_.erase(0, byte_order_mark.size());
  in_file(file_, [&] { refuse_other_outputs(text_); });
  const auto first = text_.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string::npos && (text_[first] == '{' || text_[first] == '[');
  if (is_json && !is_of_attune(text_)) {
    format_ = ImportFormat::recording;
    recording_ = read_recordings(std::move(text_), file_).front();
    return;
  }
  in_file(file_, [&] {
    if (text_.size() > most_file_bytes)
      throw UsageError(fmt::format("it has {} bytes; expected at most {}", text_.size(), most_file_bytes));
    format_ = is_json ? ImportFormat::records_json : format_of_table(text_);
  });
}

WisdomParts ImportFile::records(const std::string& kernel, std::vector<std::string>& notes) const {
  const bool is_json = format_ == ImportFormat::records_json;
  ReadRecords read =
      in_file(file_, [&] { return is_json ? records_from_json(text_) : records_from_csv(csv_rows(text_)); });
  if (read.unknown_fields > 0)
    notes.push_back(fmt::format("{} ignored, which this attune does not know", counted(read.unknown_fields, "field")));
  WisdomParts parts;
  for (Record& record : read.records) {
    if (!kernel.empty() && record.key.kernel != kernel) continue;
    make_imported(record, is_json ? "attune JSON" : "attune CSV");
    parts.records.push_back({std::move(record)});
  }
  if (parts.records.size() < read.records.size())
    notes.push_back(
        fmt::format("{} of other kernels left out", counted(read.records.size() - parts.records.size(), "record")));
  return parts;
}

RecordedParts ImportFile::recorded(const ImportTarget& target) const {
  return in_file(file_, [&] {
    if (format_ == ImportFormat::recording) return parts_of(recording_, target);
    std::vector<std::vector<std::string>> rows = csv_rows(text_);
    std::set<std::string> parameters;
    for (const Parameter& parameter : target.spec.parameters) parameters.insert(parameter.name);
    for (const auto& [from, to] : target.names) parameters.insert(from);
    const TimesTable table = read_times(rows, parameters);
    RecordedParts parts = parts_of(table.recording, target);
    if (!table.ignored.empty())
      parts.notes.push_back(
          fmt::format("{} ignored: {}", counted(table.ignored.size(), "column"), fmt::join(table.ignored, ", ")));
    return parts;
  });
}

std::string ImportFile::own_words() const {
  if (format_ != ImportFormat::recording) return "";
  return fmt::format("the file is of {}{} on {}", recording_.kernel,
                     recording_.problem.empty() ? "" : " for " + recording_.problem, recording_.device);
}

}  // namespace attune
