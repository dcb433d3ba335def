// What names in CUDA code usually mean, and the names that front matter takes. Tables; pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::draft {

// Returns attune's name of a C++ type ("unsigned long long int", "std::size_t", "__half"), or "" for any other type.
std::string type_name(std::string_view spelling);

// Returns whether a byte may belong to a name of C++.
bool is_part_of_name(char c);

// Returns the name in small letters, without what marks an address in device memory: `d_A`, `dev_a`, `a_d` are "a".
std::string plain_name(std::string_view name);

// Which dimension of a grid covers a size that is called like this: 0 (width, cols, N), 1 (height, rows, M) or 2
// (depth); nothing for other names.
std::optional<int> dimension_of(std::string_view size);

// Returns whether an integer of this name is no size: a seed, an offset, a flag.
bool is_mere_number(std::string_view name);

// Returns whether a constant of this name is usually chosen for speed: BLOCK_SIZE, TILE_DIM, UNROLL.
bool is_tunable(std::string_view name);

// Returns what a parameter of this name may be where nothing tells: few threads and elements for each dimension.
std::int64_t usual_value(std::string_view name);

// Returns whether a function of this name divides and rounds up: CEIL_DIV, divUp, cdiv.
bool is_ceil_div(std::string_view name);

// Returns whether front matter may define the name.
bool is_allowed_name(std::string_view name);

// Returns the value and others near it, of which each may be tried: powers of two, no more than `most`.
std::vector<std::int64_t> values_around(std::int64_t value, std::int64_t most);

}  // namespace attune::draft
