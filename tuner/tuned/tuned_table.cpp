#include "tuned/tuned_table.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "base/digest.hpp"
#include "base/mistrust.hpp"
#include "base/regular_file.hpp"
#include "base/system_failure.hpp"
#include "tuned/tuned_text.hpp"

namespace attune {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t most_file_bytes = std::uint64_t{64} << 20;
constexpr std::size_t most_files = 4096;

void require_owned(const fs::path& path) {
  struct stat status {};
  const std::string why = stat(path.c_str(), &status) == 0 ? mistrust(status) : "";
  if (!why.empty()) throw Error(fmt::format("{} {}", path.string(), why));
}

bool has_line(std::string_view text, std::string_view word, std::string_view value) {
  return value.empty() || text.find(fmt::format("\n{} {}\n", word, value)) != std::string_view::npos ||
         text.find(fmt::format("\n{} {}\r\n", word, value)) != std::string_view::npos;
}

// Returns whether a file may have wanted records, or is none of any version, which is damage for every kernel.
bool may_have(std::string_view text, const RecordFilter& filter) {
  if (!text.starts_with("attune tuned ")) return true;
  return has_line(text, "kernel", filter.kernel) && has_line(text, "code", filter.code) &&
         has_line(text, "contract", filter.contract);
}

// Says nothing of the problem.
bool is_wanted_key(const RecordFilter& filter, const RecordKey& key) {
  return filter.admits(key.kernel, key.objective, key.regime, key.device_class) &&
         is_asked_for(filter.code, key.code) && is_asked_for(filter.contract, key.contract);
}

bool is_wanted_record(const RecordFilter& filter, const Record& record) {
  return is_wanted_key(filter, record.key) &&
         filter.compute_capability.value_or(record.compute_capability) == record.compute_capability &&
         (filter.problems.empty() || std::ranges::find(filter.problems, record.key.problem) != filter.problems.end());
}

}  // namespace

struct TunedTable::File {
  std::string name, text;
  std::optional<TunedText> parsed = std::nullopt;  // guarded by the table's lock
};

class TunedTable::Reading : public RecordReading {
 public:
  explicit Reading(const TunedTable& table) : table_(table) {}

  // Rows get no hash: people may edit the text. Lines that were left out are told once for each reading.
  std::vector<StoredRecord> rows(const RecordFilter& filter) override {
    std::vector<StoredRecord> found;
    for (const File* const file : files_for(filter)) {
      for (const Record& record : file->parsed->records)
        if (found.size() < filter.most && is_wanted_record(filter, record)) found.push_back({record, {}});
      if (!told_.insert(file).second) continue;
      for (const std::string& why : file->parsed->damage) found.push_back({.record = {}, .hash = {}, .damage = why});
    }
    return found;
  }

  std::vector<Problem> problems(const RecordFilter& filter) override {
    std::vector<Problem> found;
    for (const File* const file : files_for(filter))
      for (const Record& record : file->parsed->records)
        if (is_wanted_record(filter, record)) found.push_back(record.key.problem);
    return found;
  }

  // What is read of a text has finite numbers, so that every cover is sound.
  std::vector<Cover> covers(const RecordFilter& filter, int& /*damaged*/) override {
    std::vector<Cover> found;
    for (const File* const file : files_for(filter))
      for (const Cover& cover : file->parsed->covers)
        if (is_wanted_key(filter, cover.key)) found.push_back(cover);
    return found;
  }

 private:
  // Returns the files that may have what the filter wants, parsed. A file is parsed once, and does not change then.
  std::vector<const File*> files_for(const RecordFilter& filter) {
    const std::lock_guard lock(table_.mutex_);
    std::vector<const File*> found;
    for (File& file : *table_.files_) {
      if (!may_have(file.text, filter)) continue;
      if (!file.parsed) file.parsed = parsed(file);
      found.push_back(&file);
    }
    return found;
  }

  // A file of another version is damage; the others of its folder stay in use.
  static TunedText parsed(const File& file) {
    try {
      return read_tuned_text(file.text, file.name);
    } catch (const Error& error) {
      return {.records = {}, .covers = {}, .damage = {error.what()}};
    }
  }

  const TunedTable& table_;
  std::set<const File*> told_;
};

TunedTable::TunedTable(fs::path path, Trust trust) : path_(std::move(path)), trust_(trust) {}
TunedTable::~TunedTable() = default;

// Throws for a file that cannot serve and is named itself. In a folder it is damage, and the others stay in use.
[[gnu::cold]] TunedTable::File TunedTable::read_file(const std::string& name, bool is_named) {
  File file{name, {}};
  try {
    file.text = tuned_file_text(name);
    if (is_named) file.parsed = read_tuned_text(file.text, name);
  } catch (const Error& error) {
    if (is_named) throw;
    file.parsed = {.records = {}, .covers = {}, .damage = {error.what()}};
  }
  return file;
}

[[gnu::cold]] void TunedTable::load(std::vector<File>& files) const {
  if (trust_ == Trust::owned) require_owned(path_);
  const auto found = tuned_files_in(path_);
  if (!found && trust_ == Trust::owned) return;
  if (!found) throw Error("there is no such file or folder");
  for (const std::string& file : *found) {
    if (trust_ == Trust::owned) require_owned(file);
    files.push_back(read_file(file, file == path_.string()));
  }
}

const std::vector<TunedTable::File>& TunedTable::files() const {
  const std::lock_guard lock(mutex_);
  if (files_ == nullptr) {
    auto read = std::make_unique<std::vector<File>>();
    load(*read);
    files_ = std::move(read);
  }
  return *files_;
}

std::unique_ptr<RecordReading> TunedTable::read() const {
  return files().empty() ? nullptr : std::make_unique<Reading>(*this);
}

std::string TunedTable::content_digest() const {
  std::set<std::string> digests;
  for (const File& file : files()) digests.insert(sha256(file.text));
  Digest all;
  for (const std::string& one : digests) all.add(std::string_view(one));
  return digests.empty() ? "" : all.hex();
}

// A set and readdir() take less code than a sort of paths and their iterator.
[[gnu::cold]] std::optional<std::set<std::string>> tuned_files_in(const fs::path& path) {
  std::set<std::string> files;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()), closedir);
  if (folder == nullptr && errno == ENOENT) return std::nullopt;
  if (folder == nullptr && errno == ENOTDIR) return std::set{path.string()};
  if (folder == nullptr) throw Error(fmt::format("{} cannot be read: {}", path.string(), system_failure(errno)));
  while (const dirent* const entry = readdir(folder.get()))
    if (std::string_view(entry->d_name).ends_with(tuned_extension)) files.insert(path.string() + '/' + entry->d_name);
  if (files.size() > most_files)
    throw Error(
        fmt::format("the folder {} has {} tuned files; {} are read at most", path.string(), files.size(), most_files));
  return files;
}

[[gnu::cold]] std::string tuned_file_text(const fs::path& file) {
  FileText read = read_regular_file(file, most_file_bytes);
  if (!read.why.empty()) throw Error(fmt::format("{} cannot be read: {}", file.string(), read.why));
  return std::move(read.text);
}

}  // namespace attune
