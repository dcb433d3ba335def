#include "base/process_environment.hpp"

#include <unistd.h>

#include <string_view>

#include "base/trusted_environment.hpp"

namespace attune {

std::vector<std::string> environment_with(const std::map<std::string, std::string>& changes) {
  std::vector<std::string> list;
  for (const auto& [name, value] : changes) list.push_back(name + "=" + value);
  if (!is_environment_trusted()) {
    list.emplace_back("PATH=/usr/bin:/bin");
    return list;
  }
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!changes.contains(std::string(text.substr(0, text.find('='))))) list.emplace_back(text);
  }
  return list;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

}  // namespace attune
