// SearchSpace: the legal configurations of a set of parameters under restrictions, built by analysing the rules, never
// by listing: each independent group of parameters becomes a counted decision diagram that shares equal subtrees.
// Immutable after construction and cheap to copy; safe to read from any thread. How it is built, and the order of its
// indices: docs/search_spaces.md.
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
// 0 <= result < limit, uniform, by rejection on 128 bits of `random`: the same on every platform. limit > 0.
SpaceSize uniform_below(SpaceSize limit, std::mt19937_64& random);

// A configuration as positions: for each parameter, in the order of parameters(), the position of its value in the list
// of its values.
using Row = std::vector<std::uint16_t>;
using RowView = std::span<const std::uint16_t>;

// A restriction; `implied` ones come from the device's limits and nobody wrote them.
struct Rule {
  Expression expression;
  bool implied = false;
};

// Which configurations count as neighbours. "Adjacent" is the next or previous value, in listed order, of those that
// occur in some legal configuration.
enum class Neighbourhood {
  any_value,       // one parameter has another value
  adjacent_value,  // one parameter has an adjacent value
  adjacent_all,    // every parameter has its value or an adjacent one; at least one differs
};

// What the construction may use at most. Reaching it is SpaceTooLarge, or with SearchSpace::relaxed a rule left out.
struct SpaceBudget {
  std::size_t nodes = std::size_t{1} << 21;      // of all diagrams while they are built
  std::size_t bytes = std::size_t{256} << 20;    // of memory while they are built
  std::uint64_t steps = std::uint64_t{1} << 28;  // combinations looked at; about a second
};

// The diagram of the space outgrows its budget. what() names the rules that are to blame and what to do.
class SpaceTooLarge : public Error {
 public:
  SpaceTooLarge(const std::string& message, std::vector<std::size_t> rules)
      : Error(message), blamed(std::move(rules)) {}
  std::vector<std::size_t> blamed;  // positions in SearchSpace::rules()
};

// What one rule does to the whole product of values: the fraction of it that breaks the rule.
struct RuleEffect {
  std::string rule;
  bool implied = false;
  double removed_alone = 0;  // fraction of the product, 0 .. 1
  bool exact = true;         // false: estimated from a sample, where the rule alone outgrows its budget
};

// The cost of having the space.
struct SpaceFigures {
  std::size_t components = 0;  // independent groups of parameters, those of one value not counted
  std::size_t nodes = 0;       // of the diagrams, as kept
  std::size_t bytes = 0;       // of diagrams and tables, as kept
  std::size_t widest = 0;      // most nodes on one level while building
  std::size_t peak_bytes = 0;  // at once while building, estimated from the sizes of the tables
  std::uint64_t steps = 0;     // combinations looked at
};

class SearchSpace {
 public:
  // Rules may use the parameters' names and whatever `problem` and `device` bind (either may be null); both are
  // copied. Throws UsageError when a rule uses an unknown name, or a device property without a device, or a parameter
  // has no value or one value twice; SpaceTooLarge when the budget does not suffice.
  SearchSpace(std::vector<Parameter> parameters, std::vector<Rule> rules, const Bindings* problem = nullptr,
              const DeviceInfo* device = nullptr, SpaceBudget budget = {});
  SearchSpace(std::vector<Parameter> parameters, const std::vector<std::string>& rules);
  SearchSpace(std::vector<Parameter> parameters, std::initializer_list<const char*> rules)
      : SearchSpace(std::move(parameters), std::vector<std::string>(rules.begin(), rules.end())) {}

  // The same, but where the budget does not suffice, the rules that are to blame are left out of the diagram and
  // checked one configuration at a time: see exact(). Never throws SpaceTooLarge.
  static SearchSpace relaxed(std::vector<Parameter> parameters, std::vector<Rule> rules,
                             const Bindings* problem = nullptr, const DeviceInfo* device = nullptr,
                             SpaceBudget budget = {});

  // Exactly these configurations, in any order, without rules: what a file lists. Throws UsageError for parameters as
  // above, and for a row that is none or occurs twice.
  static SearchSpace listed(std::vector<Parameter> parameters, const std::vector<Row>& rows);

  const std::vector<Parameter>& parameters() const noexcept;
  const std::vector<Rule>& rules() const noexcept;
  const Bindings& problem() const noexcept;   // that the rules see; empty where none was given
  const DeviceInfo* device() const noexcept;  // that the rules see, or null

  // True but for a space made by relaxed() that left rules out. Without it, size(), at(), index_of(), values_left() and
  // rows() speak of the configurations that obey the other rules, some of which are illegal; contains(), sample(),
  // neighbours and nearest() stay right, as far as trying can tell: see each.
  bool exact() const noexcept;
  const std::vector<std::size_t>& left_out() const noexcept;  // positions in rules()

  SpaceSize cartesian_size() const noexcept;  // of the product of all values, saturating at 2^128 - 1
  SpaceSize size() const noexcept;            // saturating at 2^128 - 1, with size_saturated() true
  bool size_saturated() const noexcept;
  bool empty() const noexcept { return size() == 0; }
  SpaceFigures figures() const noexcept;

  // The configuration with index 0 <= i < size(). Throws UsageError beyond size(). Index order: docs/search_spaces.md.
  // Each search operation exists on configurations and, faster, on rows; a row has one entry per parameter, else the
  // behaviour is undefined. Cost: number of parameters x log(values).
  Configuration at(SpaceSize index) const;
  void at(SpaceSize index, std::span<std::uint16_t> row) const;
  // Nothing for what is not legal, lacks a parameter or binds anything else; nor, where size_saturated(), for indices of
  // 2^128 - 1 and more.
  std::optional<SpaceSize> index_of(const Bindings& configuration) const;
  std::optional<SpaceSize> index_of(RowView row) const;
  bool contains(const Bindings& configuration) const;
  bool contains(RowView row) const;

  Configuration configuration(RowView row) const;
  // The row of a configuration, legal or not, whose values are all listed; else nothing.
  std::optional<Row> row_of(const Bindings& configuration) const;

  // Uniform over the legal configurations, the same on every platform for one state of `random`. UsageError when the
  // space is empty; Error when it is not exact() and 10^6 draws met none that the left-out rules allow.
  Configuration sample(std::mt19937_64& random) const;
  void sample(std::mt19937_64& random, std::span<std::uint16_t> row) const;

  // All neighbours of a configuration, which need not be legal itself: legal ones only, in the order of parameters and
  // then of values (adjacent_all: in index order). `visit` returns false to stop. Throws nothing else than `visit`
  // does.
  void for_each_neighbour(RowView row, Neighbourhood kind, const std::function<bool(RowView)>& visit) const;
  std::vector<Row> neighbours(RowView row, Neighbourhood kind) const;
  std::vector<Configuration> neighbours(const Bindings& configuration, Neighbourhood kind) const;
  // Uniform over the neighbours, without listing them; false (and `to` unchanged) when there is none.
  bool random_neighbour(RowView row, Neighbourhood kind, std::mt19937_64& random, std::span<std::uint16_t> to) const;
  std::optional<Configuration> random_neighbour(const Bindings& configuration, Neighbourhood kind,
                                                std::mt19937_64& random) const;

  // A legal configuration with the fewest parameters off `wished`, then nearest in value positions, then lowest
  // index; `wished` may lack parameters (any value is as good) or carry unknown values and names. Nothing when the
  // space is empty. Where exact() is false: the nearest of those that were met in trying.
  std::optional<Configuration> nearest(const Bindings& wished) const;

  // Positions of the values of parameters()[parameter] that occur in some configuration, ascending.
  const std::vector<std::uint16_t>& values_left(std::size_t parameter) const;

  // Every configuration in index order; `visit` returns false to stop.
  void for_each(const std::function<bool(RowView)>& visit) const;
  // Every configuration in index order, one row behind the other: size() * parameters().size() entries. Throws
  // UsageError when there are more than `most_rows`.
  std::vector<std::uint16_t> rows(SpaceSize most_rows = 100'000'000) const;

  // The same parameters under some of the rules, by position in rules(); relaxed where the budget does not suffice.
  SearchSpace with_rules(const std::vector<std::size_t>& which) const;
  // What each rule removes on its own: the explanation of an empty or lopsided space. More: attune/space_audit.hpp.
  std::vector<RuleEffect> effects() const;
  // The rules that `configuration` breaks, each with the values put in ("TILE % ROWS == 0 (TILE=16, ROWS=32)") and,
  // where the rule is undefined, why.
  std::vector<std::string> broken_rules(const Bindings& configuration) const;

  struct Built;  // defined in space/stages/built.hpp

 private:
  explicit SearchSpace(std::shared_ptr<const Built> built) : built_(std::move(built)) {}
  static std::shared_ptr<const Built> build(std::vector<Parameter> parameters, std::vector<Rule> rules,
                                            const Bindings* problem, const DeviceInfo* device, SpaceBudget budget,
                                            bool relax);
  std::shared_ptr<const Built> built_;
};

// A uniform stream of the indices of a space without repetition: a Fisher-Yates shuffle that stores only the places
// that it has touched, so that it costs memory for what was drawn alone. One thread. The space must outlive it. Of a
// space whose size is saturated, only the first 2^128 - 1 indices are drawn.
class SampleStream {
 public:
  SampleStream(const SearchSpace& space, std::uint64_t seed) : space_(space), random_(seed) {}
  // The next legal configuration; nothing when all were drawn. Error where the space is not exact() and 10^6 draws in a
  // row met none that the left-out rules allow.
  std::optional<SpaceSize> next_index();
  std::optional<Configuration> next();

 private:
  SpaceSize place(SpaceSize index) const;
  const SearchSpace& space_;
  std::mt19937_64 random_;
  SpaceSize taken_ = 0;
  std::map<SpaceSize, SpaceSize> moved_;
};

// The space of a kernel for a problem on a device: its parameters (perhaps narrowed), its rules, and the limits
// that the device implies for every launch step. Relaxed where it outgrows the budget.
SearchSpace make_space(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device);

// The configuration to start from: the first values, or the nearest legal one to them. Nothing when the space is empty.
std::optional<Configuration> default_configuration(const KernelSpec& spec, const SearchSpace& space);

}  // namespace attune
