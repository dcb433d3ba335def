#include "cli/workbench.hpp"

#include <stdlib.h>

#include <fstream>
#include <iterator>
#include <regex>
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

std::string Workbench::output_of(const std::vector<std::string>& arguments) const {
  const CommandResult result = attune(arguments);
  EXPECT_EQ(result.code, 0) << testing::PrintToString(arguments) << result.err;
  return result.out;
}

std::vector<Json> Workbench::events_of(std::vector<std::string> arguments) const {
  arguments.push_back("--json");
  return events_in(output_of(arguments));
}

CommandResult Workbench::expect_failure(int code, const std::vector<std::string>& arguments,
                                        const std::vector<std::string>& words) const {
  const CommandResult result = attune(arguments);
  EXPECT_EQ(result.code, code) << testing::PrintToString(arguments) << result.out << result.err;
  for (const std::string& word : words) EXPECT_THAT(result.err, testing::HasSubstr(word));
  return result;
}

void Workbench::expect_to_fit(const std::string& text) {
  for (const std::string& line : lines_of(text))
    EXPECT_TRUE(line.size() <= 80 || std::regex_search(line, std::regex("^ +(try +)?attune "))) << line << "\n\nin\n"
                                                                                                << text;
}

std::string Workbench::scale_with(const Replacements& replacements) const {
  std::string source = content_of(scale());
  for (const auto& [before, after] : replacements) {
    const std::size_t place = source.find(before);
    if (place == std::string::npos) throw std::runtime_error("scale.cu does not hold: " + before);
    source.replace(place, before.size(), after);
  }
  return write("scale.cu", source);
}

std::string Workbench::scale_of_many(Replacements replacements, int values) const {
  std::string list = "[64";
  for (int i = 1; i <= values; ++i)
    if (i != 64) list += ", " + std::to_string(i);
  replacements.emplace_back("BLOCK = [64, 32, 128]", "BLOCK = " + list + "]");
  return scale_with(replacements);
}

std::string Workbench::write(const std::string& name, const std::string& text) const {
  std::ofstream(folder_ / name, std::ios::binary) << text;
  return (folder_ / name).string();
}

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string on_one_line(const std::string& text) { return std::regex_replace(text, std::regex("\n *"), " "); }

std::vector<Json> events_in(const std::string& text) {
  std::vector<Json> events;
  for (const std::string& line : lines_of(text)) events.push_back(Json::parse(line));
  return events;
}

std::vector<Json> of_type(const std::vector<Json>& events, const std::string& type) {
  std::vector<Json> found;
  for (const Json& event : events)
    if (event.at("type") == type) found.push_back(event);
  return found;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

}  // namespace attune::test
