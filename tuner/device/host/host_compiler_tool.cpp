#include "device/host/host_compiler_tool.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>

#include "attune/error.hpp"
#include "base/child_process.hpp"
#include "base/trusted_environment.hpp"
#include "device/host/compiler_process.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;

constexpr double answer_seconds = 10;

ProcessResult ask(std::vector<std::string> command, const std::vector<std::string>& options) {
  command.insert(command.end(), options.begin(), options.end());
  return run_process(command, "/", {answer_seconds, true});
}

std::optional<HostTool> probe(const std::string& command) {
  HostTool tool;
  tool.command = words_in(command.c_str());
  if (tool.command.empty()) return std::nullopt;
  tool.command.front() = find_program(tool.command.front());
  if (tool.command.front().empty()) return std::nullopt;
  const ProcessResult answer = ask(tool.command, {"-dumpfullversion", "-dumpversion"});
  if (answer.exit_code != 0) return std::nullopt;
  const std::string name = fs::path(words_in(command.c_str()).back()).filename().string();
  tool.version = name + " " + answer.output.substr(0, answer.output.find('\n'));
  return tool;
}

}  // namespace

HostTool find_host_tool() {
  if (const auto chosen = trusted_environment("ATTUNE_HOST_CXX")) {
    if (std::optional<HostTool> tool = probe(*chosen)) return *tool;
    throw Error(
        fmt::format("ATTUNE_HOST_CXX names `{}`, which is no C++ compiler that runs; correct or unset it", *chosen));
  }
  const std::string usual = trusted_environment("CXX").value_or("");
  for (const std::string& name : {usual, std::string("g++"), std::string("c++"), std::string("clang++")})
    if (std::optional<HostTool> tool = probe(name)) return *tool;
  throw Error("the host device needs a C++ compiler and found none; install g++, or name one in ATTUNE_HOST_CXX");
}

std::string library_of(const HostTool& tool, const std::string& name) {
  const ProcessResult answer = ask(tool.command, {"-print-file-name=" + name});
  const std::string path = answer.output.substr(0, answer.output.find('\n'));
  std::error_code ignored;
  // A compiler that lacks the library repeats its name.
  return answer.exit_code == 0 && fs::path(path).is_absolute() && fs::exists(path, ignored) ? path : "";
}

std::vector<std::string> words_in(const char* text) {
  std::vector<std::string> words;
  std::istringstream in(text != nullptr ? text : "");
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

}  // namespace attune
