// Runs a program plainly, and as a set-user-id program of another user, whose environment is not to be trusted.
#pragma once

#include <pwd.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>

namespace attune::test {

inline std::string first_line_of(const std::string& program) {
  FILE* const pipe = popen(program.c_str(), "r");
  char line[512] = "";
  if (pipe == nullptr || fgets(line, sizeof line, pipe) == nullptr) line[0] = 0;
  if (pipe != nullptr) pclose(pipe);
  return line;
}

// Returns the first line that the program prints, with these arguments. Returns nothing where there is no user
// `daemon`, files are mounted nosuid, or this is not root.
inline std::optional<std::string> first_line_as_set_user_id(const std::string& program,
                                                            const std::string& arguments = {}) {
  namespace fs = std::filesystem;
  const fs::path copy = fs::path("/tmp") / ("attune_set_user_id_" + std::to_string(getpid()));
  const passwd* const daemon = getpwnam("daemon");
  if (geteuid() != 0 || daemon == nullptr) return {};
  fs::copy_file(program, copy, fs::copy_options::overwrite_existing);
  struct statvfs mount {};
  const bool possible = chown(copy.c_str(), daemon->pw_uid, daemon->pw_gid) == 0 && chmod(copy.c_str(), 04755) == 0 &&
                        statvfs(copy.c_str(), &mount) == 0 && (mount.f_flag & ST_NOSUID) == 0;
  const std::string printed = possible ? first_line_of(copy.string() + " " + arguments) : "";
  fs::remove(copy);
  return possible ? std::optional(printed) : std::nullopt;
}

}  // namespace attune::test
