// The text of configurations beside another one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "attune/bindings.hpp"

namespace attune::cli {

// Returns the configuration whole, "BLOCK=512 ITEMS=8"; "no parameters" where it has none.
std::string whole_text(const Configuration& configuration);

// Returns the values that differ from those of `base`, or `equal` where none does. The configuration is whole where
// `base` is empty.
std::string difference_text(const Configuration& configuration, const Configuration& base, std::string_view equal);

// Beside which other one a configuration of a list is shown.
enum class Beside { first, previous, none };

// A name, and its configuration; words where it has none.
struct ShownConfiguration {
  std::string name;
  Configuration configuration;
  std::string words;
};

// Returns what a list says of itself whose first configuration is whole: "the first whole, ...".
std::string beside_text(Beside beside);
// Returns a line for each, "  NAME: TEXT", in lines that fit: the first configuration whole, the others as what differs
// from the first one or from the previous one, under a heading that says so. Beside::none shows all of them whole.
std::string configurations_text(const std::vector<ShownConfiguration>& list, Beside beside);

}  // namespace attune::cli
