#include "files/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <span>
#include <system_error>

#include "attune/error.hpp"
#include "base/system_failure.hpp"
#include "core/image_magic.hpp"
#include "files/private_directory.hpp"
#include "files/sqlite_header.hpp"

namespace attune {
namespace fs = std::filesystem;
namespace {

constexpr int most_links = 40;  // as many as Linux follows
constexpr mode_t output_mode = 0666, any_write = S_IWUSR | S_IWGRP | S_IWOTH;

// The database and SQLite's files beside it: a file of such a name counts as part of the database.
constexpr const char* companion_suffixes[] = {"", "-journal", "-wal", "-shm"};

bool is_own_descriptor(const fs::path& folder) {
  std::error_code failed;
  return folder.filename() == "fd" && folder == fs::weakly_canonical("/proc/self/fd", failed);
}

// Returns where a file of this name is or would be made, without any link but those of /proc/self/fd.
fs::path resolved(const fs::path& name) {
  std::error_code failed;
  fs::path at = fs::absolute(name, failed);
  for (int i = 0; i < most_links; ++i) {
    const fs::path folder = fs::weakly_canonical(at.parent_path(), failed);
    if (!failed) at = folder / at.filename();
    if (is_own_descriptor(folder) || fs::symlink_status(at, failed).type() != fs::file_type::symlink) return at;
    at = at.parent_path() / fs::read_symlink(at, failed);
  }
  return at;
}

bool is_same(const fs::path& a, const fs::path& b) {
  std::error_code absent;
  return fs::equivalent(a, b, absent) || resolved(a) == resolved(b);
}

bool is_wisdom(const fs::path& file) {
  const std::optional<int> id = sqlite_application_id(file);
  return id == wisdom_application_id || id == unreleased_application_id;
}

bool is_image(const fs::path& file) {
  std::string head(image_magic.size(), '\0');
  std::ifstream(file, std::ios::binary).read(head.data(), static_cast<std::streamsize>(head.size()));
  return head == image_magic;
}

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw UsageError(fmt::format("nothing is written to {}: {}; name another file", name, why));
}

[[noreturn]] void refuse_wisdom(const std::string& name, const fs::path& database) {
  refuse(name, fmt::format("it belongs to the wisdom database {}", database.string()));
}

void refuse_own_files(const std::string& name, const fs::path& path) {
  for (const std::string_view suffix : companion_suffixes) {
    if (!path.native().ends_with(suffix)) continue;
    const fs::path database = path.native().substr(0, path.native().size() - suffix.size());
    if (is_wisdom(database)) refuse_wisdom(name, database);
  }
  if (is_image(path)) refuse(name, fmt::format("{} is a compiled image of attune's cache", path.string()));
}

}  // namespace

OutputFile::OutputFile(std::string name) : name_(std::move(name)) {
  if (name_.empty()) throw UsageError("the name of an output is empty; name a file");
  path_ = resolved(name_);
  if (is_own_descriptor(path_.parent_path())) descriptor_ = std::atoi(path_.filename().c_str());
  struct stat status {};
  const bool is_there = stat(path_.c_str(), &status) == 0;
  if (!is_there && (errno != ENOENT || descriptor_ >= 0))
    refuse(name_, system_failure(descriptor_ >= 0 ? EBADF : errno));
  if (is_there ? S_ISDIR(status.st_mode) : path_.filename().empty()) refuse(name_, "it names a folder");
  if (S_ISBLK(status.st_mode)) refuse(name_, "it is a disk");
  if (is_there && !S_ISREG(status.st_mode)) return;
  refuse_own_files(name_, path_);
  const bool is_writable =
      (status.st_mode & any_write) != 0 && faccessat(AT_FDCWD, path_.c_str(), W_OK, AT_EACCESS) == 0;
  if (is_there && descriptor_ < 0 && !is_writable)
    refuse(name_, fmt::format("{} is read only (chmod u+w makes it writable)", path_.string()));
}

bool OutputFile::is_place() const {
  std::error_code unknown;
  return descriptor_ < 0 && (!fs::exists(path_, unknown) || fs::is_regular_file(path_, unknown));
}

void OutputFile::must_not_be(const fs::path& input, std::string_view what) const {
  if (is_same(path_, input)) refuse(name_, fmt::format("it is {} {}", what, input.string()));
}

void OutputFile::must_not_be_wisdom(const fs::path& database) const {
  for (const char* const suffix : companion_suffixes)
    if (is_same(path_, resolved(database).string() + suffix)) refuse_wisdom(name_, database);
}

void OutputFile::must_not_be(const OutputFile& other) const {
  if (is_place() && other.is_place()) must_not_be(other.path_, "another output,");
}

void OutputFile::write(std::string_view content) const {
  const auto bytes = std::as_bytes(std::span(content));
  struct stat status {};
  const bool is_old = stat(path_.c_str(), &status) == 0;
  try {
    if (descriptor_ >= 0) return write_all(descriptor_, bytes);
    if (is_old && !S_ISREG(status.st_mode)) {
      const Descriptor file(::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
      if (!file.open()) throw Error(system_failure(errno));
      return write_all(file.get(), bytes);
    }
    const Descriptor folder(::open(path_.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder.open()) throw Error(fmt::format("{}: {}", path_.parent_path().string(), system_failure(errno)));
    replace_file(folder, path_.filename(), bytes, output_mode, is_old ? &status : nullptr);
  } catch (const Error& error) {
    const std::string_view why = error.what();
    const bool has_remedy = why.find("; ") != why.npos;  // from system_failure()
    throw Error(fmt::format("cannot write {}: {}{}", name_, why,
                            has_remedy ? "" : "; check that the folder exists and is writable"));
  }
}

}  // namespace attune
