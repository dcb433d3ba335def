// What names in CUDA code usually mean, and the names that front matter takes. Tables; pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attune::draft {

// Returns attune's name of a C++ type ("unsigned long long int", "std::size_t", "__half"), or "" for any other type.
std::string type_name(std::string_view spelling);

// Returns whether a constant of this name is usually chosen for speed: BLOCK_SIZE, TILE_DIM, UNROLL.
bool is_tunable(std::string_view name);

// Returns whether a function of this name divides and rounds up: CEIL_DIV, divUp, cdiv.
bool is_ceil_div(std::string_view name);

// Returns whether front matter may define the name.
bool is_allowed_name(std::string_view name);

// Returns the value and others near it, no more than `most`, as a list of front matter: "[16, 8, 32, 4]".
std::string values_around(std::int64_t value, std::int64_t most);

}  // namespace attune::draft
