#include "cli/workbench.hpp"

#include <stdlib.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace attune::test {

void Workbench::SetUp() {
  std::string name = (std::filesystem::temp_directory_path() / "attune_cli_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
  folder_ = name;
}

void Workbench::TearDown() { std::filesystem::remove_all(folder_); }

CommandResult Workbench::attune(std::vector<std::string> arguments, CommandOptions options) const {
  return run("attune", std::move(arguments), std::move(options));
}

CommandResult Workbench::run(const std::string& program, std::vector<std::string> arguments,
                             CommandOptions options) const {
  arguments.insert(arguments.begin(), ATTUNE_BUILD_DIR "/bin/" + program);
  options.environment.try_emplace("ATTUNE_DEVICE", "host");
  options.environment.try_emplace("ATTUNE_DB", database());
  options.environment.try_emplace("ATTUNE_CACHE", (folder_ / "cache").string());
  return run_command(arguments, options);
}

std::string Workbench::scale_with(const std::string& before, const std::string& after) const {
  std::ifstream file(scale());
  std::ostringstream text;
  text << file.rdbuf();
  std::string source = text.str();
  const std::size_t place = source.find(before);
  if (place == std::string::npos) throw std::runtime_error("scale.cu does not hold: " + before);
  source.replace(place, before.size(), after);
  const std::string path = (folder_ / "scale.cu").string();
  std::ofstream(path) << source;
  return path;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

}  // namespace attune::test
