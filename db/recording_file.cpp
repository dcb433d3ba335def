#include "db/recording_file.hpp"

#include <fmt/format.h>

#include <fstream>

#include "attune/error.hpp"
#include "db/compressed_text.hpp"
#include "db/recording_formats.hpp"

namespace attune {
namespace {

struct Format {
  const char* member;  // that holds the rows: what the format is recognised by
  Recording (*read)(const RecordingEntries& entries);
};
constexpr Format formats[] = {{"cache", read_kernel_tuner}, {"results", read_t4}};

Recording read_one(const RecordingEntries& entries) {
  for (const Format& format : formats) {
    if (find_member(entries.head(), format.member) == nullptr) continue;
    Recording recording = format.read(entries);
    if (recording.trials.empty()) throw UsageError(fmt::format("`{}` holds no whole row", format.member));
    return recording;
  }
  throw UsageError(
      "this is no recording: expected a Kernel Tuner cache (`cache`), T4 results (`results`) or a wisdom "
      "database of attune");
}

bool is_database(const std::filesystem::path& file) {
  constexpr std::string_view magic("SQLite format 3\0", 16);
  std::string first(magic.size(), '\0');
  std::ifstream(file, std::ios::binary).read(first.data(), static_cast<std::streamsize>(first.size()));
  return first == magic;
}

// What a file says of itself is shown on a line.
std::string on_one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 32 || c == 127) c = '?';
  return text;
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

// Puts the file before what is wrong in it.
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
  return read_from(source,
                   [&]() -> std::vector<Recording> { return {read_one(RecordingEntries(std::move(text), source))}; });
}

std::vector<Recording> load_recordings(const std::filesystem::path& file) {
  if (is_database(file)) return read_from(file, [&] { return read_wisdom(file); });
  return read_recordings(read_text(file), file);
}

}  // namespace attune
