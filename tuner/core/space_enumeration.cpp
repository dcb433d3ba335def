#include "core/space_enumeration.hpp"

#include <fmt/format.h>

#include "attune/error.hpp"
#include "core/rule_check.hpp"

namespace attune {
namespace {

// Rows are kept: with 20 parameters these are 0.8 GB.
constexpr std::size_t max_rows = 20'000'000;
// Values bound, each with its rules checked; at 0.1 us about a minute.
constexpr std::uint64_t max_bindings = 500'000'000;

class Enumeration {
 public:
  Enumeration(const std::vector<Parameter>& parameters, const std::vector<Rule>& rules, const Bindings& problem,
              const DeviceInfo* device)
      : parameters_(parameters), checks_(parameters.size()), row_(parameters.size()) {
    for (const auto& rule : rules) {
      RuleCheck check(rule.expression, parameters, problem, device);
      if (check.mentioned().empty()) {
        possible_ = check.holds({}) && possible_;
      } else {
        checks_[check.mentioned().back()].push_back(std::move(check));
      }
    }
  }

  LegalRows run() {
    if (possible_) bind(0);
    return std::move(found_);
  }

 private:
  void bind(std::size_t depth) {
    if (depth == parameters_.size()) return add_row();
    const std::size_t count = parameters_[depth].values.size();
    for (std::size_t position = 0; position < count; ++position) {
      if (++bindings_ > max_bindings)
        too_large(fmt::format("more than {} partial configurations to look at", max_bindings));
      row_[depth] = static_cast<std::uint16_t>(position);
      if (legal(depth)) bind(depth + 1);
    }
  }

  bool legal(std::size_t depth) {
    for (auto& check : checks_[depth]) {
      if (!check.holds(row_)) return false;
    }
    return true;
  }

  void add_row() {
    if (found_.count == max_rows) too_large(fmt::format("more than {} legal configurations", max_rows));
    found_.positions.insert(found_.positions.end(), row_.begin(), row_.end());
    ++found_.count;
  }

  [[noreturn]] static void too_large(const std::string& why) {
    throw Error(
        fmt::format("the search space is too large: {}; add restrictions, or narrow parameters to fewer values", why));
  }

  const std::vector<Parameter>& parameters_;
  std::vector<std::vector<RuleCheck>> checks_;  // by the last parameter that a rule mentions
  std::vector<std::uint16_t> row_;
  LegalRows found_;
  std::uint64_t bindings_ = 0;
  bool possible_ = true;
};

}  // namespace

LegalRows legal_rows(const std::vector<Parameter>& parameters, const std::vector<Rule>& rules, const Bindings& problem,
                     const DeviceInfo* device) {
  return Enumeration(parameters, rules, problem, device).run();
}

}  // namespace attune
