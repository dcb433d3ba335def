#include "base/find_program.hpp"

#include <unistd.h>

#include <filesystem>
#include <sstream>

#include "base/trusted_environment.hpp"

namespace attune {
namespace {

bool can_be_run(const std::string& path) {
  std::error_code failed;
  return access(path.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(path, failed);
}

}  // namespace

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return can_be_run(name) ? std::filesystem::absolute(name).string() : "";
  std::istringstream folders(trusted_environment("PATH").value_or("/usr/bin:/bin"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (can_be_run(candidate)) return std::filesystem::absolute(candidate).string();
  }
  return "";
}

}  // namespace attune
