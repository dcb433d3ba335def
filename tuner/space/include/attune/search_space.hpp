// SearchSpace: the legal configurations of a set of parameters under restrictions. It is built by analysing the rules,
// never by listing configurations. Each independent group of parameters becomes a counted decision diagram that shares
// equal subtrees. A space is immutable and cheap to copy; any thread may read it. Construction and index order:
// docs/search_spaces.md.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
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
// Draws a uniform number, 0 <= result < limit, by rejection on 128 bits of `random`. `limit` must be > 0. For one state
// of `random` the result is the same on every platform.
SpaceSize uniform_below(SpaceSize limit, std::mt19937_64& random);

// A configuration as positions: for each of parameters(), the position of the chosen value in the parameter's list.
using Row = std::vector<std::uint16_t>;
using RowView = std::span<const std::uint16_t>;

// A restriction. An `implied` rule is a limit of the device.
struct Rule {
  Expression expression;
  bool implied = false;
};

// Which configurations are neighbours. The adjacent values are the next and the previous value, in listed order, among
// those that occur in some legal configuration.
enum class Neighbourhood {
  any_value,       // one parameter has another value
  adjacent_value,  // one parameter has an adjacent value
  adjacent_all,    // every parameter has its value or an adjacent one; at least one differs
};

// Limits of the construction. Beyond them the constructor throws SpaceTooLarge; SearchSpace::relaxed() leaves rules out
// instead.
struct SpaceBudget {
  std::size_t nodes = std::size_t{1} << 21;      // on one level of a diagram while it is built
  std::size_t bytes = std::size_t{256} << 20;    // of memory while they are built
  std::uint64_t steps = std::uint64_t{1} << 28;  // combinations looked at; about a second
};

// Thrown when the diagram of the space outgrows its budget. what() names the rules to blame and says what to do next.
class SpaceTooLarge : public Error {
 public:
  SpaceTooLarge(const std::string& message, std::vector<std::size_t> rules)
      : Error(message), blamed(std::move(rules)) {}
  std::vector<std::size_t> blamed;  // positions in SearchSpace::rules()
};

// The fraction of the product of all values that breaks one rule.
struct RuleEffect {
  std::string rule;
  bool implied = false;
  double removed_alone = 0;  // fraction of the product, 0 .. 1
  bool exact = true;         // false: estimated from a sample, where the rule alone outgrows its budget
};

// The cost of having the space.
struct SpaceFigures {
  std::size_t components = 0;  // independent groups of parameters; parameters of one value are not counted
  std::size_t nodes = 0;       // of the diagrams, as kept
  std::size_t bytes = 0;       // of diagrams and tables, as kept
  std::size_t widest = 0;      // most nodes on one level while building
  std::size_t peak_bytes = 0;  // at once while building, estimated from the sizes of the tables
  std::uint64_t steps = 0;     // combinations looked at
};

class SearchSpace {
 public:
  // Builds the space. Rules may use the parameters' names and whatever `problem` and `device` bind. `problem` and
  // `device` are copied; either may be null. Throws UsageError when a rule uses an unknown name, when a rule uses a
  // device property and `device` is null, and for a parameter that has no value or one value twice. Throws
  // SpaceTooLarge beyond the budget.
  SearchSpace(std::vector<Parameter> parameters, std::vector<Rule> rules, const Bindings* problem = nullptr,
              const DeviceInfo* device = nullptr, SpaceBudget budget = {});
  SearchSpace(std::vector<Parameter> parameters, const std::vector<std::string>& rules);
  SearchSpace(std::vector<Parameter> parameters, std::initializer_list<const char*> rules)
      : SearchSpace(std::move(parameters), std::vector<std::string>(rules.begin(), rules.end())) {}

  // Builds the space and never throws SpaceTooLarge. Beyond the budget, the rules to blame are left out of the diagram
  // and checked one configuration at a time: see exact(). Throws UsageError as the constructor does.
  static SearchSpace relaxed(std::vector<Parameter> parameters, std::vector<Rule> rules,
                             const Bindings* problem = nullptr, const DeviceInfo* device = nullptr,
                             SpaceBudget budget = {});

  // Makes a space of exactly these configurations, given in any order; it has no rules. Throws UsageError for
  // parameters as the constructor does, for a row that occurs twice or is not one valid position per parameter, and for
  // rows that would take more than 1 GiB.
  static SearchSpace listed(std::vector<Parameter> parameters, const std::vector<Row>& rows);

  const std::vector<Parameter>& parameters() const noexcept;
  const std::vector<Rule>& rules() const noexcept;
  const Bindings& problem() const noexcept;   // as given to the constructor; empty without one
  const DeviceInfo* device() const noexcept;  // as given to the constructor, or null

  // Returns false only for a space of relaxed() that left rules out. If so, size(), at(), index_of(), values_left(),
  // for_each() and rows() include configurations that break these rules. contains(), sample(), neighbours and nearest()
  // stay right, within the limits that each states.
  bool exact() const noexcept;
  const std::vector<std::size_t>& left_out() const noexcept;  // positions in rules()

  SpaceSize cartesian_size() const noexcept;  // of the product of all values, saturating at 2^128 - 1
  SpaceSize size() const noexcept;            // saturating at 2^128 - 1, with size_saturated() true
  bool size_saturated() const noexcept;
  bool empty() const noexcept { return size() == 0; }
  SpaceFigures figures() const noexcept;

  // Returns the configuration with this index, 0 <= index < size(). Throws UsageError for a larger index. Index order:
  // docs/search_spaces.md. This and most operations below exist for configurations and, faster, for rows. A row must
  // have one valid position per parameter; this is not checked. Cost: number of parameters x log(values).
  Configuration at(SpaceSize index) const;
  void at(SpaceSize index, std::span<std::uint16_t> row) const;
  // Returns the index of a configuration. Returns nothing if the configuration is not legal, lacks a parameter or binds
  // other names, and where its index would be 2^128 - 1 or more (see size_saturated()).
  std::optional<SpaceSize> index_of(const Bindings& configuration) const;
  std::optional<SpaceSize> index_of(RowView row) const;
  bool contains(const Bindings& configuration) const;
  bool contains(RowView row) const;

  Configuration configuration(RowView row) const;
  // Returns the row of a configuration, legal or not. Returns nothing unless it binds all parameters, to listed values,
  // and no other name.
  std::optional<Row> row_of(const Bindings& configuration) const;

  // Draws uniformly from the legal configurations. For one state of `random` the result is the same on every platform.
  // Throws UsageError when the space is empty. Throws Error when the space is not exact() and the left-out rules refuse
  // 10^6 draws in a row.
  Configuration sample(std::mt19937_64& random) const;
  void sample(std::mt19937_64& random, std::span<std::uint16_t> row) const;

  // Calls `visit` with each legal neighbour of a configuration, until `visit` returns false. The configuration itself
  // need not be legal. Neighbours come in the order of parameters, then of values (adjacent_all: in index order).
  // Throws what `visit` throws. The overloads that take names and values throw UsageError unless the configuration has
  // a row: see row_of().
  void for_each_neighbour(RowView row, Neighbourhood kind, const std::function<bool(RowView)>& visit) const;
  std::vector<Row> neighbours(RowView row, Neighbourhood kind) const;
  std::vector<Configuration> neighbours(const Bindings& configuration, Neighbourhood kind) const;
  // Draws uniformly from the neighbours. Returns false and leaves `to` unchanged when there is none. Draws of kind
  // any_value seldom list the neighbours of a legal row. Those of kind adjacent_all never list them if the space is
  // exact().
  bool random_neighbour(RowView row, Neighbourhood kind, std::mt19937_64& random, std::span<std::uint16_t> to) const;
  std::optional<Configuration> random_neighbour(const Bindings& configuration, Neighbourhood kind,
                                                std::mt19937_64& random) const;

  // Returns the legal configuration that differs from `wished` in the fewest parameters. Ties go to the nearest value
  // positions, then to the lowest index. `wished` may lack parameters and may have unknown values and names. Returns
  // nothing when the space is empty. Where exact() is false, the result may be only the nearest of 1,000 random draws;
  // it is nothing if the left-out rules refuse all draws.
  std::optional<Configuration> nearest(const Bindings& wished) const;

  // Returns the ascending positions of those values of parameters()[parameter] that occur in some configuration. Throws
  // std::out_of_range beyond the last parameter.
  const std::vector<std::uint16_t>& values_left(std::size_t parameter) const;

  // Calls `visit` with every configuration in index order, until `visit` returns false. Throws what `visit` throws.
  void for_each(const std::function<bool(RowView)>& visit) const;
  // Returns every configuration in index order, row after row: size() * parameters().size() entries. Throws UsageError
  // when there are more than `most_rows`.
  std::vector<std::uint16_t> rows(SpaceSize most_rows = 100'000'000) const;

  // Returns the space under some of the rules, given by position in rules(). Rules are left out where the budget does
  // not suffice: see relaxed(). Throws std::out_of_range for a position beyond the last rule.
  SearchSpace with_rules(const std::vector<std::size_t>& which) const;
  // Returns what each rule removes on its own. More: attune/space_audit.hpp.
  std::vector<RuleEffect> effects() const;
  // Returns the rules that `configuration` breaks, with the values put in: "TILE % ROWS == 0 (TILE=16, ROWS=32)". If a
  // rule is undefined, its text ends with the reason.
  std::vector<std::string> broken_rules(const Bindings& configuration) const;

  struct Contents;  // defined in space/stages/contents.hpp

 private:
  explicit SearchSpace(std::shared_ptr<const Contents> built) : built_(std::move(built)) {}
  static std::shared_ptr<const Contents> build(std::vector<Parameter> parameters, std::vector<Rule> rules,
                                               const Bindings* problem, const DeviceInfo* device, SpaceBudget budget,
                                               bool relax);
  std::shared_ptr<const Contents> built_;
};

// Draws the configurations of a space uniformly and without repetition. It is a Fisher-Yates shuffle that stores only
// the places that it has touched, so memory grows with the number of draws. Belongs to one thread; the space must
// outlive it. From a saturated space it draws only the first 2^128 - 1 indices.
class SampleStream {
 public:
  SampleStream(const SearchSpace& space, std::uint64_t seed) : space_(space), random_(seed) {}
  // Returns the next legal configuration, or nothing when all were drawn. Throws Error when the space is not exact()
  // and the left-out rules refuse 10^6 draws in a row.
  std::optional<SpaceSize> next_index();
  std::optional<Configuration> next();

 private:
  SpaceSize place(SpaceSize index) const;
  const SearchSpace& space_;
  std::mt19937_64 random_;
  SpaceSize taken_ = 0;
  std::map<SpaceSize, SpaceSize> moved_;
};

// Makes the space of a kernel for a problem on a device. Its rules are the kernel's own and the device's limits for
// every launch step. A space that outgrows the budget is relaxed(). If `spec` lists its configurations, the space has
// exactly those whose values `spec` still has. Throws UsageError as the constructor does.
SearchSpace make_space(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device);

// Returns the configuration that an application without wisdom launches. It is the kernel's own default, even if `spec`
// was narrowed to some values. In this order: the first values; the first legal one of the fall-backs
// (docs/dispatch.md); the legal configuration nearest to the first values. Returns nothing where no configuration is
// legal. If the first values are not legal, it builds search spaces and throws their errors.
std::optional<Configuration> default_configuration(const KernelSpec& spec, const Problem& problem,
                                                   const DeviceInfo& device);

}  // namespace attune
