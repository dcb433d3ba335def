#include "dispatch/misses.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <span>
#include <thread>
#include <utility>

#include "attune/error.hpp"
#include "base/digest.hpp"
#include "base/system_failure.hpp"
#include "base/visible_text.hpp"

namespace attune {
namespace {

constexpr mode_t misses_file_mode = 0600;
constexpr mode_t writable_by_others = S_IWGRP | S_IWOTH;
constexpr std::string_view begin_of_line = "{\"miss\":";  // another file is left alone
constexpr std::size_t read_at_once = std::size_t{64} << 10;

// Dispatchers of one process may share a file. Under this lock, each reads what others have written before it writes.
std::mutex& writing() {
  static std::mutex mutex;
  return mutex;
}

// Visible text has no control characters but line ends and tabs, and is UTF-8.
std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char one : visible_text(text)) {
    if (one == '\n')
      quoted += "\\n";
    else if (one == '\t')
      quoted += "\\t";
    else if (one == '"' || one == '\\')
      quoted.append({'\\', one});
    else
      quoted += one;
  }
  return quoted + '"';
}

// Locks the file against other processes. It waits a moment at most, because one of them may be stopped; then it goes
// on without the lock.
class FileTurn {
 public:
  explicit FileTurn(int file) noexcept : file_(file) {
    for (int i = 0; i < most_tries && flock(file_, LOCK_EX | LOCK_NB) != 0; ++i)
      std::this_thread::sleep_for(between_tries);
  }
  ~FileTurn() { flock(file_, LOCK_UN); }
  FileTurn(const FileTurn&) = delete;
  FileTurn& operator=(const FileTurn&) = delete;

 private:
  static constexpr int most_tries = 100;
  static constexpr std::chrono::milliseconds between_tries{1};
  const int file_;
};

[[noreturn]] void fail() { throw Error(system_failure(errno)); }

void refuse_foreign(const struct stat& status) {
  if (!S_ISREG(status.st_mode)) throw Error("it is not a regular file");
  if (status.st_uid != geteuid())
    throw Error(fmt::format("it belongs to user {}, not to user {}", status.st_uid, geteuid()));
  if (status.st_mode & writable_by_others) throw Error("it can be written by others (chmod go-w)");
  if (status.st_nlink != 1) throw Error("it has a second name (a hard link)");
}

}  // namespace

bool is_miss(Rung rung) noexcept { return !row_of(rung).is_promise; }

std::string miss_line(const MatchRequest& request) {
  const KernelSpec& spec = request.spec;
  const std::pair<std::string_view, std::string> fields[] = {{"kernel", spec.name},
                                                             {"code", spec.fingerprints.code},
                                                             {"contract", spec.fingerprints.contract},
                                                             {"tune_target", request.tune_target},
                                                             {"problem", request.problem.text()},
                                                             {"device_class", request.device.class_key()},
                                                             {"regime", std::string(request.regime)},
                                                             {"objective", std::string(request.objective)}};
  std::string line = std::string(begin_of_line) + "1";
  for (const auto& [name, value] : fields) line += fmt::format(",\"{}\":{}", name, json_text(value));
  return line + "}\n";
}

Misses::Misses(std::filesystem::path file, Warnings& warnings, MissLimits limits)
    : path_(std::move(file)), warnings_(warnings), limits_(limits) {}

void Misses::add(const MatchRequest& request) noexcept {
  if (path_.empty()) return;
  try {
    const std::lock_guard lock(writing());
    if (is_over_) return;
    try {
      append(miss_line(request));
    } catch (const std::exception& error) {
      is_over_ = true;
      warnings_.warn(fmt::format("misses are not logged to {}: {}", path_.string(), error.what()));
    }
  } catch (...) {  // no memory for the warning
  }
}

void Misses::append(const std::string& line) {
  const std::string digest = sha256(line);
  if (known_.contains(digest)) return;
  if (!file_) open_file();
  const FileTurn turn(file_->get());
  read_new_lines();
  if (known_.contains(digest)) return;
  if (known_.size() >= limits_.lines) throw Error(fmt::format("it has {} lines; tune them", known_.size()));
  // A line that another process left unfinished is ended first.
  const std::string bytes = unfinished_.empty() ? line : "\n" + line;
  if (read_bytes_ + bytes.size() > limits_.bytes) throw Error(fmt::format("it has {} bytes; tune them", read_bytes_));
  write_all(file_->get(), std::as_bytes(std::span(bytes)));
  known_.insert(digest);
}

void Misses::open_file() {
  // O_NONBLOCK: a pipe in place of a file must not block.
  constexpr int flags = O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  file_.emplace(::open(path_.c_str(), flags, misses_file_mode));
  if (!file_->open()) {
    if (errno == ELOOP) throw Error("it is a symbolic link");
    fail();
  }
  struct stat status {};
  if (fstat(file_->get(), &status) != 0) fail();
  refuse_foreign(status);
}

void Misses::read_new_lines() {
  struct stat status {};
  if (fstat(file_->get(), &status) != 0) fail();
  if (static_cast<std::uint64_t>(status.st_size) < read_bytes_) read_bytes_ = 0;  // somebody emptied it
  std::array<char, read_at_once> buffer;
  while (true) {
    if (read_bytes_ > limits_.bytes) throw Error(fmt::format("it has more than {} bytes", limits_.bytes));
    const ssize_t count = pread(file_->get(), buffer.data(), buffer.size(), static_cast<off_t>(read_bytes_));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail();
    if (count == 0) return;
    std::string_view rest(buffer.data(), static_cast<std::size_t>(count));
    if (read_bytes_ == 0 && !begin_of_line.starts_with(rest.substr(0, begin_of_line.size())))
      throw Error("it holds something else");
    read_bytes_ += rest.size();
    for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      unfinished_ += rest.substr(0, end + 1);
      known_.insert(sha256(unfinished_));
      if (known_.size() > limits_.lines) throw Error(fmt::format("it has more than {} lines", limits_.lines));
      unfinished_.clear();
      rest.remove_prefix(end + 1);
    }
    unfinished_ += rest;
  }
}

}  // namespace attune
