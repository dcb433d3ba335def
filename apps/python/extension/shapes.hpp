// Shapes: what the arrays of a call say of a problem. `size = "rows * columns"` of an array of shape (4, 8) says that
// rows is 4 and columns is 8; further dimensions in front count as one with the first.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "attune/kernel_spec.hpp"

namespace attune::python {

// The size of an array argument as a product; nothing is deduced from other expressions.
struct Product {
  std::int64_t constant = 1;
  std::vector<std::string> names;  // in the order of the dimensions
  bool is_known = false;           // false: another expression
};

// Reads "2 * rows * columns". Names and whole numbers only.
Product product_of(const std::string& text);

// Sets the names of a product from a shape, in front the outermost. Returns "" or what contradicts. Names that are set
// already must agree.
std::string deduce(const Product& product, std::span<const std::int64_t> shape,
                   std::map<std::string, std::int64_t>& sizes);

}  // namespace attune::python
