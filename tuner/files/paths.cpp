#include "files/paths.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <vector>

#include "attune/error.hpp"
#include "base/system_failure.hpp"
#include "base/trusted_environment.hpp"

namespace attune {
namespace fs = std::filesystem;
namespace {

constexpr mode_t private_directory_mode = 0700;

std::optional<fs::path> home_from_password_file() {
  std::vector<char> buffer(16384);
  passwd entry{};
  passwd* found = nullptr;
  if (getpwuid_r(geteuid(), &entry, buffer.data(), buffer.size(), &found) != 0 || !found || !found->pw_dir) return {};
  fs::path home = found->pw_dir;
  if (!home.is_absolute()) return {};
  return home;
}

// The XDG rules ignore a relative directory, because it would differ with every working directory.
std::optional<fs::path> absolute_directory(const char* variable) {
  const auto text = trusted_environment(variable);
  if (!text || !fs::path(*text).is_absolute()) return {};
  return fs::path(*text);
}

fs::path user_path(const char* attune_variable, const char* xdg_variable, const char* below_home, const char* leaf) {
  if (const auto own = trusted_environment(attune_variable)) return *own;
  if (const auto base = absolute_directory(xdg_variable)) return *base / leaf;
  auto home = absolute_directory("HOME");
  if (!home) home = home_from_password_file();
  if (home) return *home / below_home / leaf;
  throw Error(
      fmt::format("no place for attune's files: neither {}, {} nor HOME is set, and user {} has no home directory; "
                  "set {}",
                  attune_variable, xdg_variable, geteuid(), attune_variable));
}

}  // namespace

fs::path default_database_path() { return user_path("ATTUNE_DB", "XDG_DATA_HOME", ".local/share", "attune/wisdom.db"); }

fs::path default_cache_path() { return user_path("ATTUNE_CACHE", "XDG_CACHE_HOME", ".cache", "attune"); }

std::optional<fs::path> site_cache_path() {
  const auto text = trusted_environment("ATTUNE_SITE_CACHE");
  return text ? std::optional<fs::path>(*text) : std::nullopt;
}

fs::path site_wisdom_path() { return trusted_environment("ATTUNE_SITE").value_or("/etc/attune"); }

std::optional<fs::path> miss_log_path() {
  const auto text = trusted_environment("ATTUNE_LOG_MISSES");
  return text ? std::optional<fs::path>(*text) : std::nullopt;
}

fs::path usable_lock_folder(std::string& why) {
  fs::path folder;
  try {
    folder = default_cache_path() / "locks";
    make_private_directory(folder, "ATTUNE_CACHE");
    if (access(folder.c_str(), W_OK) == 0) return folder;
    why = fmt::format("{}: {}", folder.string(), system_failure(errno));
  } catch (const Error& error) {
    why = folder.empty() ? error.what() : folder.string() + " cannot be made";
  }
  return {};
}

void make_private_directory(const fs::path& directory, const char* variable) {
  fs::path so_far;
  for (const fs::path& part : directory) {
    so_far /= part;
    if (part.empty() || mkdir(so_far.c_str(), private_directory_mode) == 0) continue;
    const int error = errno;
    // Some systems answer EACCES or EROFS for an existing directory. Therefore this checks before it throws.
    std::error_code ignored;
    if (fs::is_directory(so_far, ignored)) continue;
    const char* const reason =
        error == EEXIST ? "something that is not a directory is in its place" : system_failure(error);
    throw Error(fmt::format("cannot create the directory {}: {}: {}; name another place with {}", directory.string(),
                            so_far.string(), reason, variable));
  }
}

}  // namespace attune
