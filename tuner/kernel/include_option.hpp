// Compiler options that name folders of headers: "-Ifolder", "--include-path=folder".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace attune {

// Returns the folder that an option names; nothing for another option.
std::optional<std::string_view> include_folder(std::string_view option);

// Returns the option with a relative folder placed in `base`; any other option as it is, and all where `base` is empty.
std::string placed_include(const std::string& option, const std::string& base);

}  // namespace attune
