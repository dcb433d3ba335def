#include "space/rule_effect.hpp"

#include <algorithm>

namespace attune {
namespace {

constexpr SpaceSize saturated = ~SpaceSize{0};
constexpr std::uint64_t most_combinations = std::uint64_t{1} << 20;  // about 0.1 s
constexpr std::uint64_t sampled_combinations = 65536;                // standard error below 0.2 %
constexpr std::uint64_t sampling_seed = 0x61747475;                  // any fixed number: the same answer each time

// The rule, made ready to be checked for many rows.
class RowCheck {
 public:
  RowCheck(const SearchSpace& space, std::size_t rule)
      : rule_(space.rules()[rule].expression), parameters_(space.parameters()), device_(space.device()) {
    for (const std::string& name : rule_.names()) {
      const auto parameter = std::ranges::find(parameters_, name, &Parameter::name);
      if (parameter != parameters_.end()) {
        read_.push_back({static_cast<std::size_t>(parameter - parameters_.begin()), values_.size()});
      }
      values_.push_back(space.problem().find(name));
    }
  }

  // A parameter that the rule mentions, and the position of its name among the rule's names.
  struct MentionedParameter {
    std::size_t parameter, name;
  };
  const std::vector<MentionedParameter>& read() const noexcept { return read_; }

  bool holds(const Row& row) {
    for (const auto& [parameter, name] : read_) values_[name] = &parameters_[parameter].values[row[parameter]];
    return rule_.holds(values_, device_);
  }

 private:
  const Expression& rule_;
  const std::vector<Parameter>& parameters_;
  const DeviceInfo* device_;
  std::vector<MentionedParameter> read_;
  std::vector<const Value*> values_;  // by name of the rule
};

Removed counted(SpaceSize kept, SpaceSize of) {
  const SpaceSize removed = of - kept;
  const double fraction = of == 0 ? 0 : static_cast<double>(removed) / static_cast<double>(of);
  return {Certainty::exact, removed, fraction};
}

// Returns the number of combinations of the parameters that the rule mentions, saturating just above most_combinations.
std::uint64_t combinations(const RowCheck& check, const std::vector<Parameter>& parameters) {
  std::uint64_t product = 1;
  for (const auto& read : check.read()) {
    product *= parameters[read.parameter].values.size();
    if (product > most_combinations) return most_combinations + 1;
  }
  return product;
}

// Moves to the next combination of the parameters that the rule mentions.
void advance(Row& row, const RowCheck& check, const std::vector<Parameter>& parameters) {
  for (const auto& read : check.read()) {
    if (++row[read.parameter] < parameters[read.parameter].values.size()) return;
    row[read.parameter] = 0;
  }
}

// Tries every combination of the parameters that the rule mentions, or a sample where there are too many.
Removed tried(RowCheck& check, const std::vector<Parameter>& parameters) {
  Row row(parameters.size());
  std::mt19937_64 random(sampling_seed);
  const std::uint64_t all = combinations(check, parameters);
  const bool exact = all <= most_combinations;
  const std::uint64_t looked_at = exact ? all : sampled_combinations;
  std::uint64_t removed = 0;
  for (std::uint64_t n = 0; n < looked_at; ++n) {
    if (!exact) {
      for (const auto& [parameter, name] : check.read()) {
        row[parameter] = static_cast<std::uint16_t>(uniform_below(parameters[parameter].values.size(), random));
      }
    }
    removed += check.holds(row) ? 0 : 1;
    if (exact) advance(row, check, parameters);
  }
  return {exact ? Certainty::exact : Certainty::estimated, std::nullopt,
          static_cast<double>(removed) / static_cast<double>(looked_at)};
}

// Tries random configurations that the other rules allow.
Removed drawn(RowCheck& check, const SearchSpace& others) {
  if (others.size_saturated() && !others.exact()) return {Certainty::unknown, std::nullopt, 0};
  Row row(others.parameters().size());
  std::mt19937_64 random(sampling_seed);
  std::uint64_t looked_at = 0, removed = 0;
  for (std::uint64_t n = 0; n < sampled_combinations; ++n) {
    if (others.exact()) {
      others.sample(random, row);
    } else {
      others.at(uniform_below(others.size(), random), row);
      if (!others.contains(RowView(row))) continue;
    }
    ++looked_at;
    removed += check.holds(row) ? 0 : 1;
  }
  if (looked_at == 0) return {Certainty::unknown, std::nullopt, 0};
  return {Certainty::estimated, std::nullopt, static_cast<double>(removed) / static_cast<double>(looked_at)};
}

}  // namespace

Removed removed_alone(const SearchSpace& space, std::size_t rule) {
  const SpaceSize cartesian = space.cartesian_size();
  if (cartesian != saturated) {
    const SearchSpace alone = space.with_rules({rule});
    if (alone.exact()) return counted(alone.size(), cartesian);
  }
  RowCheck check(space, rule);
  return tried(check, space.parameters());
}

Removed removed_last(const SearchSpace& space, const SearchSpace& others, std::size_t rule) {
  if (others.empty()) return counted(0, 0);
  const bool counts = !others.size_saturated() && others.exact() && space.exact();
  if (counts) return counted(space.size(), others.size());
  RowCheck check(space, rule);
  return drawn(check, others);
}

}  // namespace attune
