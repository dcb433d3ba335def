// Compiler options that name folders of headers: "-Ifolder", "--include-path=folder".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace attune {

// Returns the folder that such an option names, or nothing for any other option.
std::optional<std::string_view> include_folder(std::string_view option);

// Returns the option with its folder, if that is relative, placed in `base`. Any other option stays as it is; if `base`
// is empty, every option does.
std::string placed_include(const std::string& option, const std::string& base);

}  // namespace attune
