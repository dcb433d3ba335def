// SearchSpace: the legal configurations of a set of parameters under restrictions. Immutable after construction;
// safe to read from any thread. Order and indices are a function of the definition alone.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <random>
#include <span>
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

// What one rule does to the whole product of values: the fraction of it that breaks the rule. `exact` is false when
// that was estimated from a sample (the values of the parameters that the rule mentions have more than 2^20
// combinations).
struct RuleEffect {
  std::string rule;
  bool implied = false;
  double removed_alone = 0;  // fraction of the product, 0 .. 1
  bool exact = true;
};

class SearchSpace {
 public:
  // Rules may use the parameters' names and whatever `problem` and `device` bind (either may be null); both are
  // copied. Throws UsageError when a rule uses an unknown name, or a device property without a device, or a parameter
  // has no value; Error when the space is too large to be listed (20 million legal configurations, or a minute's
  // search).
  SearchSpace(std::vector<Parameter> parameters, std::vector<Rule> rules, const Bindings* problem = nullptr,
              const DeviceInfo* device = nullptr);
  SearchSpace(std::vector<Parameter> parameters, const std::vector<std::string>& rules);
  SearchSpace(std::vector<Parameter> parameters, std::initializer_list<const char*> rules)
      : SearchSpace(std::move(parameters), std::vector<std::string>(rules.begin(), rules.end())) {}

  const std::vector<Parameter>& parameters() const noexcept { return parameters_; }
  const std::vector<Rule>& rules() const noexcept { return rules_; }

  SpaceSize cartesian_size() const noexcept;  // of the product of all values, saturating
  SpaceSize size() const noexcept { return count_; }
  bool empty() const noexcept { return count_ == 0; }

  // The configuration with index 0 <= i < size(). Index order: parameters in definition order, the last one
  // varying fastest, values in their listed order. Throws UsageError beyond size().
  Configuration at(SpaceSize index) const;
  // Nothing for what is not legal, lacks a parameter or binds anything else.
  std::optional<SpaceSize> index_of(const Bindings& configuration) const;
  bool contains(const Bindings& configuration) const { return index_of(configuration).has_value(); }
  // Uniform over the legal configurations, the same on every platform for one state of `random`; the space must not be
  // empty: UsageError.
  Configuration sample(std::mt19937_64& random) const;
  // A legal configuration with the fewest parameters off `wished`, then nearest in value positions, then lowest
  // index; `wished` may lack parameters (any value is as good) or carry unknown values and names. Nothing when the
  // space is empty.
  std::optional<Configuration> nearest(const Bindings& wished) const;

  // What each rule removes on its own: the explanation of an empty or lopsided space.
  std::vector<RuleEffect> effects() const;
  // The rules that `configuration` breaks, each with the values put in ("TILE % ROWS == 0 (TILE=16, ROWS=32)") and,
  // where the rule is undefined, why.
  std::vector<std::string> broken_rules(const Bindings& configuration) const;

 private:
  using Row = std::span<const std::uint16_t>;  // position of each parameter's value
  Row row(std::size_t index) const noexcept {
    return Row(legal_).subspan(index * parameters_.size(), parameters_.size());
  }
  Configuration configuration_of(Row row) const;
  std::vector<Parameter> parameters_;
  std::vector<Rule> rules_;
  Bindings problem_;
  std::optional<DeviceInfo> device_;
  std::vector<std::uint16_t> legal_;  // rows, one behind the other, sorted
  std::size_t count_ = 0;             // of rows
};

// The space of a kernel for a problem on a device: its parameters (perhaps narrowed), its rules, and the limits
// that the device implies for every launch step.
SearchSpace make_space(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device);

// The configuration to start from: the first values, or the nearest legal one to them. Nothing when the space is empty.
std::optional<Configuration> default_configuration(const KernelSpec& spec, const SearchSpace& space);

}  // namespace attune
