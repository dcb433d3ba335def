// TunedTable: a tuned file, or a folder of them, as a RecordTable. It is read once, at the first look-up; lines are
// parsed when their kernel is asked for. Any thread.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernel/record_table.hpp"

namespace attune {

// `any`: what is named is read, and must be there. `owned`: what may be absent, and is read only where this user or
// root owns it and nobody else can write it.
enum class Trust { any, owned };

class TunedTable : public RecordTable {
 public:
  explicit TunedTable(std::filesystem::path path, Trust trust = Trust::any);
  ~TunedTable() override;
  // Throws Error for what is not trusted or cannot be read, and unless it may be absent.
  std::unique_ptr<RecordReading> read() const override;
  std::string name() const override { return path_.string(); }
  // Returns the digest of the files' content, whatever their names and order are; "" where there are none. Throws as
  // read() does.
  std::string content_digest() const override;

 private:
  class Reading;
  struct File;
  const std::vector<File>& files() const;
  static File read_file(const std::string& name, bool is_named);
  void load(std::vector<File>& files) const;

  const std::filesystem::path path_;
  const Trust trust_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<std::vector<File>> files_;  // null: not read so far
};

// Returns the tuned files that a path names: itself, or those of the folder in alphabetical order. Throws Error if the
// path or the folder cannot be read, and if there are more than 4,096. Nothing: there is no such path.
std::optional<std::set<std::string>> tuned_files_in(const std::filesystem::path& path);

// Returns the text of a tuned file. Throws Error if it cannot be read.
std::string tuned_file_text(const std::filesystem::path& file);

}  // namespace attune
