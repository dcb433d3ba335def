// Checks of a launch by the compiler: what [[launch]] passes against the parameters of the entry.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attune {

enum class Passing { scalar, array, map, values };

struct PassedArgument {
  std::string_view name;
  std::string_view element;  // a type name, without its vector width but for values; arrays of uint8 fit any pointer
  Passing passing = Passing::scalar;
  std::int64_t count = 0;  // values
};

// Returns static_asserts, in the words of tuner/device/argument_checks.cuh, for an entry that gets these arguments.
// Messages name this line of the kernel file, unless it is 0.
std::string argument_checks(const std::string& entry, const std::vector<PassedArgument>& arguments,
                            std::size_t line = 0);

// Returns a static_assert that the variable of an argument with a symbol holds such elements.
std::string variable_check(const std::string& variable, std::string_view argument, std::string_view element);

}  // namespace attune
