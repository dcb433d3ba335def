#include "recordings/recording_file.hpp"

#include <fmt/format.h>

#include <optional>

#include "attune/error.hpp"
#include "db/wisdom_format.hpp"
#include "files/sqlite_header.hpp"
#include "recordings/compressed_text.hpp"
#include "recordings/recording_formats.hpp"
#include "recordings/recording_text.hpp"

namespace attune {
namespace {

struct Format {
  const char* member;  // holds the rows, and identifies the format
  const char* tool;
  Recording (*read)(const RecordingEntries& entries);
};
constexpr Format formats[] = {{"cache", "Kernel Tuner", read_kernel_tuner}, {"results", "T4 results", read_t4}};

Recording read_one(const RecordingEntries& entries) {
  for (const Format& format : formats) {
    if (find_member(entries.head(), format.member) == nullptr) continue;
    Recording recording = format.read(entries);
    recording.tool = format.tool;
    if (recording.trials.empty()) throw UsageError(fmt::format("`{}` holds no whole row", format.member));
    return recording;
  }
  throw UsageError(
      "this is no recording: expected a Kernel Tuner cache (`cache`), T4 results (`results`) or a wisdom "
      "database of attune");
}

std::vector<Recording> named(std::vector<Recording> recordings, const std::filesystem::path& source) {
  for (Recording& recording : recordings) {
    recording.source = source.string();
    if (recording.device.empty()) recording.device = stem_of(source);
    recording.device = on_one_line(std::move(recording.device));
    recording.problem = on_one_line(std::move(recording.problem));
  }
  return recordings;
}

// Puts the name of the file before the message of an error in the file.
template <typename Read>
std::vector<Recording> read_from(const std::filesystem::path& source, Read read) {
  try {
    return named(read(), source);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", source.string(), error.what()));
  }
}

}  // namespace

std::vector<Recording> read_recordings(std::string text, const std::filesystem::path& source) {
  return read_from(source, [&]() -> std::vector<Recording> {
    if (text.find_first_not_of(" \t\r\n") == std::string::npos)
      throw UsageError("it is empty; give a file with recorded rows");
    return {read_one(RecordingEntries(std::move(text), source))};
  });
}

std::vector<Recording> load_recordings(const std::filesystem::path& file) {
  check_regular_file(file);
  try {
    const std::optional<int> application = sqlite_application_id(file);
    if (!application) return read_recordings(read_text(file), file);
    return read_from(file, [&] {
      if (*application == unreleased_application_id) require_wisdom(file, *application);
      if (*application != wisdom_application_id)
        throw UsageError(
            "this SQLite database is no wisdom database of attune; give a database of `attune tune`, a Kernel Tuner "
            "cache or T4 results");
      return read_wisdom(file);
    });
  } catch (const std::bad_alloc&) {
    throw Error(fmt::format(
        "{}: there is not enough memory for what it holds; read fewer files at once, or leave it out", file.string()));
  }
}

}  // namespace attune
