// The text of configurations beside another one.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "attune/bindings.hpp"

namespace attune::cli {

// Returns the values that differ from those of `base`: "BLOCK=512 ITEMS=8"; "" where none does.
std::string changes_text(const Configuration& configuration, const Configuration& base);

// Beside which other one a configuration of a list is shown.
enum class Beside { first, previous, none };

// A name, and the configuration or, where it has no values, other words.
struct NamedText {
  std::string name;
  Configuration configuration;
  std::string words;
};

// Returns a line for each, "  NAME: TEXT", in lines that fit: the first configuration whole, the others as what differs
// from the first one or from the previous one. A heading says so. Beside::none shows all of them whole.
std::string configurations_text(const std::vector<NamedText>& list, Beside beside);

}  // namespace attune::cli
