// Names that C++ and other tools have for the types of the table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attune {

// Returns attune's name of a type that is spelt as in C++ or elsewhere ("int", "size_t", "__half"), else the name
// itself.
std::string_view own_type_name(std::string_view name) noexcept;
// Returns "; did you mean `int32`?" for such a spelling or a misspelt name. `known`: names beside those of the table.
std::string type_suggestion(std::string_view name, std::vector<std::string> known = {});

}  // namespace attune
