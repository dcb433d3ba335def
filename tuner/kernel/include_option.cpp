#include "kernel/include_option.hpp"

#include <filesystem>

namespace attune {
namespace {

constexpr std::string_view spellings[] = {"-I", "--include-path="};

}  // namespace

std::optional<std::string_view> include_folder(std::string_view option) {
  for (const std::string_view spelling : spellings)
    if (option.starts_with(spelling) && option.size() > spelling.size()) return option.substr(spelling.size());
  return std::nullopt;
}

std::string placed_include(const std::string& option, const std::string& base) {
  const std::optional<std::string_view> folder = include_folder(option);
  if (!folder || base.empty() || std::filesystem::path(*folder).is_absolute()) return option;
  return "-I" + (std::filesystem::path(base) / *folder).lexically_normal().string();
}

}  // namespace attune
