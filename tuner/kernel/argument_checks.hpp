// Lets the compiler check a launch: the arguments that [[launch]] passes against the parameters of the entry.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attune {

enum class Passing { scalar, array, map, values };

struct PassedArgument {
  std::string_view name;
  std::string_view element;  // a type name, with its vector width only for values; uint8 arrays fit any pointer
  Passing passing = Passing::scalar;
  std::int64_t count = 0;  // elements of values
};

// Returns static_asserts that use tuner/device/argument_checks.cuh, for an entry that gets these arguments. Their
// messages name `line` of the kernel file, unless it is 0.
std::string argument_checks(const std::string& entry, const std::vector<PassedArgument>& arguments,
                            std::size_t line = 0);

// Returns a static_assert that the variable of an argument with a symbol has elements of this type.
std::string variable_check(const std::string& variable, std::string_view argument, std::string_view element);

}  // namespace attune
