// Variables: the parameters with several values, and where the value of each name in a rule comes from. Values of these
// types belong to one construction and one thread. What they point to must outlive them.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "attune/bindings.hpp"
#include "attune/device_info.hpp"
#include "attune/parameter.hpp"
#include "attune/search_space.hpp"
#include "space/stages/term.hpp"

namespace attune::space {

// A parameter of several values.
struct Variable {
  std::uint32_t parameter = 0;
  const std::vector<Value>* values = nullptr;
  std::vector<std::uint16_t> positions;  // ascending, of the values that are still possible
  std::size_t width() const { return positions.size(); }
  const Value& value(std::size_t at) const { return (*values)[positions[at]]; }
};

// What a name in a rule stands for: a variable, or a constant.
struct NameSource {
  int variable = no_variable;
  const Value* constant = nullptr;
};
using RuleNames = std::vector<NameSource>;

struct RuleScope {
  std::vector<Variable> variables;
  std::vector<RuleNames> names;  // by rule
  const std::vector<Rule>* rules = nullptr;
  const DeviceInfo* device = nullptr;
};

// Returns variables with all their values, and the source of every name of every rule. Throws UsageError for a name
// that nothing binds, and for a device property without a device.
RuleScope scope_of(const std::vector<Parameter>& parameters, const std::vector<Rule>& rules, const Bindings& problem,
                   const DeviceInfo* device);

// Gives each name a number, so that names can be compared as integers.
class NameNumbers {
 public:
  std::int64_t number_of(std::string_view name) {
    return numbers_.try_emplace(name, static_cast<std::int64_t>(numbers_.size())).first->second;
  }

 private:
  std::unordered_map<std::string_view, std::int64_t> numbers_;
};

}  // namespace attune::space
