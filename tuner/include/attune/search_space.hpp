// SearchSpace: the legal configurations of a set of parameters under restrictions. Immutable after construction;
// safe to read from any thread. Order and indices are a function of the definition alone.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "attune/bindings.hpp"
#include "attune/expression.hpp"
#include "attune/kernel_spec.hpp"
#include "attune/parameter.hpp"

namespace attune {

__extension__ using SpaceSize = unsigned __int128;
std::string to_text(SpaceSize size);

// A restriction; `implied` ones come from the device's limits and nobody wrote them.
struct Rule {
  Expression expression;
  bool implied = false;
};

// What one rule does to the whole product of values. `removed_alone` of `total` assignments break the rule;
// `exact` is false when that was estimated from a sample (products over 2^20).
struct RuleEffect {
  std::string rule;
  bool implied = false;
  double removed_alone = 0;  // fraction of the product, 0 .. 1
  bool exact = true;
};

class SearchSpace {
 public:
  // Rules may use the parameters' names and whatever `problem` and `device` bind (either may be null); both are
  // read during construction only. Throws UsageError when a rule uses an unknown name or a parameter has no value.
  SearchSpace(std::vector<Parameter> parameters, std::vector<Rule> rules, const Bindings* problem = nullptr,
              const DeviceInfo* device = nullptr);
  SearchSpace(std::vector<Parameter> parameters, const std::vector<std::string>& rules);

  const std::vector<Parameter>& parameters() const noexcept { return parameters_; }
  const std::vector<Rule>& rules() const noexcept { return rules_; }

  SpaceSize cartesian_size() const noexcept;  // of the product of all values, saturating
  SpaceSize size() const noexcept { return legal_.size(); }
  bool empty() const noexcept { return legal_.empty(); }

  // The configuration with index 0 <= i < size(). Index order: parameters in definition order, the last one
  // varying fastest, values in their listed order.
  Configuration at(SpaceSize index) const;
  std::optional<SpaceSize> index_of(const Bindings& configuration) const;
  bool contains(const Bindings& configuration) const { return index_of(configuration).has_value(); }
  // Uniform over the legal configurations; the space must not be empty.
  Configuration sample(std::mt19937_64& random) const;
  // A legal configuration with the fewest parameters off `wished`, then nearest in value positions, then lowest
  // index; `wished` may lack parameters or carry unknown values. Nothing when the space is empty.
  std::optional<Configuration> nearest(const Bindings& wished) const;

  // What each rule removes on its own: the explanation of an empty or lopsided space.
  std::vector<RuleEffect> effects() const;
  // The rules that `configuration` breaks, each with the values put in ("TILE % ROWS == 0 (TILE=16, ROWS=32)").
  std::vector<std::string> broken_rules(const Bindings& configuration) const;

 private:
  using Row = std::vector<std::uint16_t>;  // position of each parameter's value
  Configuration configuration_of(const Row& row) const;
  std::vector<Parameter> parameters_;
  std::vector<Rule> rules_;
  Bindings problem_;
  std::optional<DeviceInfo> device_;
  std::vector<Row> legal_;  // sorted
};

// The space of a kernel for a problem on a device: its parameters (perhaps narrowed), its rules, and the limits
// that the device implies for every launch step.
SearchSpace make_space(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device);

// The configuration to start from: the first values, or the nearest legal one to them. Nothing when the space is empty.
std::optional<Configuration> default_configuration(const KernelSpec& spec, const SearchSpace& space);

}  // namespace attune
