// Fault: a defect of a KernelSpec, and its place. The checks that are common to kernel files and specs in C++ throw it.
// Their callers turn it into a SpecError with line and column, or into a UsageError.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>

namespace attune {

struct Fault : std::runtime_error {
  // `place` is a path of TOML keys: "launch[0].grid[1]", "arguments.out.type".
  Fault(std::string place_, const std::string& message) : std::runtime_error(message), place(std::move(place_)) {}
  std::string place;
  bool at_key = false;                // the key itself is wrong, not its value
  std::optional<std::size_t> offset;  // byte in the string at `place`
};

inline Fault key_fault(std::string place, const std::string& message) {
  Fault fault(std::move(place), message);
  fault.at_key = true;
  return fault;
}

inline Fault fault_in_string(std::string place, std::size_t offset, const std::string& message) {
  Fault fault(std::move(place), message);
  fault.offset = offset;
  return fault;
}

}  // namespace attune
