#include "device/host/compiler_messages.hpp"

#include <optional>
#include <sstream>
#include <vector>

#include "attune_embedded/attune.hpp"
#include "device/host/unsupported.hpp"

namespace attune {
namespace {

std::string without_entries(const std::string& messages) {
  std::string kept;
  bool has_error = false;
  std::istringstream lines(messages);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("entries:") || line.find("(void** attune_parameters)") != std::string::npos) continue;
    kept += line + "\n";
    has_error |= line.find("error:") != std::string::npos;
  }
  return has_error ? kept : messages;
}

}  // namespace

std::string messages_of(const SourceText& source, const std::string& messages) {
  std::vector<Header> files = source.headers;
  files.push_back({source.name, source.text});
  files.push_back({"attune.cuh", std::string(attune_embedded::attune.text)});
  const std::optional<std::string> use = unsupported_use(messages, files);
  return use ? *use + "\n" + messages : without_entries(messages);
}

}  // namespace attune
