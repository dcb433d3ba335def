#include "space/stages/thresholds.hpp"

#include <algorithm>
#include <iterator>

#include "space/stages/term_program.hpp"

namespace attune::space {
namespace {

// Finding more thresholds costs more than they save in states.
constexpr std::size_t max_thresholds = 20'000;

// A search: from which number on is `wanted` reached, for one value of the step's variable?
struct Question {
  std::size_t value;       // of the step's variable
  TermId term;             // a root, or the number after the step
  std::int64_t wanted;     // reached where term >= wanted
  bool falling;            // term falls with the number
  std::int64_t low, high;  // the answer is in low .. high; high: never
};

class ThresholdSearch {
 public:
  ThresholdSearch(const WideTerms& terms, const RuleScope& scope, const std::vector<std::size_t>& widths,
                  BudgetUse& use)
      : terms_(terms), scope_(scope), widths_(widths), use_(use) {}

  std::vector<std::optional<Thresholds>> run() {
    std::vector<std::optional<Thresholds>> found(widths_.size());
    std::vector<std::int64_t> behind;  // thresholds after the present step
    for (std::size_t step = widths_.size() - 1; step-- > 0;) {
      const auto& frontier = terms_.frontier[step];
      if (frontier.empty()) break;  // nothing is open: all states are equal
      if (frontier.size() != 1 || terms_.graph[frontier[0]].kind != TermKind::whole) break;
      if (!is_monotone(step)) break;
      auto before = through(step + 1, behind);
      if (!before) break;
      found[step] = Thresholds(*before, range(step));
      behind = std::move(*before);
    }
    return found;
  }

 private:
  const Range& range(std::size_t step) const { return terms_.graph[terms_.frontier[step][0]].range; }

  // Returns whether all that is decided or known at the next step is monotonic in the number after this step.
  bool is_monotone(std::size_t step) {
    trends_ = trends(terms_.graph, terms_.frontier[step][0]);
    const auto bad = [&](TermId id) { return trends_[id] == Monotony::mixed; };
    return std::none_of(terms_.decided[step + 1].begin(), terms_.decided[step + 1].end(), bad) &&
           std::none_of(terms_.frontier[step + 1].begin(), terms_.frontier[step + 1].end(), bad);
  }

  // Returns the thresholds before a step; nothing where there are too many.
  std::optional<std::vector<std::int64_t>> through(std::size_t step, const std::vector<std::int64_t>& behind) {
    const std::size_t each = behind.size() + terms_.decided[step].size();
    if (each * widths_[step] > 8 * max_thresholds) return std::nullopt;
    std::vector<std::int64_t> before = simple(step, behind);
    if (before.empty()) {
      before = searched(step, behind);
      std::sort(before.begin(), before.end());
      before.erase(std::unique(before.begin(), before.end()), before.end());
    }
    if (before.size() > max_thresholds) return std::nullopt;
    return before;
  }

  // The simple case, solved by arithmetic: a column is added to the number or multiplied with it, and the step decides
  // no clause. Returns nothing in other cases.
  std::vector<std::int64_t> simple(std::size_t step, const std::vector<std::int64_t>& behind) {
    std::vector<std::int64_t> before;
    if (!terms_.decided[step].empty() || behind.empty()) return before;
    const TermId number = terms_.frontier[step - 1][0], result = terms_.frontier[step][0];
    const Term& term = terms_.graph[result];
    const bool multiplies = term.op == TermOp::multiply;
    if ((!multiplies && term.op != TermOp::add) || term.operands[0] == term.operands[1]) return before;
    const TermId other = term.operands[0] == number ? term.operands[1] : term.operands[0];
    const bool fits =
        (term.operands[0] == number || term.operands[1] == number) && terms_.graph[other].op == TermOp::column;
    if (!fits || (multiplies && terms_.graph[other].range.low <= 0) || range(step - 1).low < 0 || range(step).low < 0)
      return before;
    use_.steps(behind.size() * widths_[step]);
    // Each value preserves the ascending order of the thresholds.
    std::vector<std::int64_t> seen, joined;
    for (const std::int64_t value : terms_.graph.column(other)) {
      seen.clear();
      for (const std::int64_t threshold : behind) {
        const std::int64_t at = !multiplies ? threshold - value : threshold > 0 ? (threshold - 1) / value + 1 : 0;
        const bool inside = at > range(step - 1).low && at <= range(step - 1).high;
        if (inside && (seen.empty() || seen.back() != at)) seen.push_back(at);
      }
      joined.clear();
      std::set_union(before.begin(), before.end(), seen.begin(), seen.end(), std::back_inserter(joined));
      std::swap(before, joined);
    }
    if (before.empty()) before.push_back(range(step - 1).low);  // one class
    return before;
  }

  // All other cases, solved by bisection of all questions at once.
  std::vector<std::int64_t> searched(std::size_t step, const std::vector<std::int64_t>& behind) {
    std::vector<Question> questions = questions_at(step, behind);
    std::vector<std::size_t> open(questions.size());
    for (std::size_t i = 0; i < open.size(); ++i) open[i] = i;
    const TermId number = terms_.frontier[step - 1][0];
    std::vector<TermId> given = {number}, wanted = terms_.decided[step];
    for (TermId id = 0; id < terms_.graph.size(); ++id) {
      if (terms_.graph[id].op == TermOp::column && terms_.known[id] == static_cast<int>(step)) given.push_back(id);
    }
    wanted.insert(wanted.end(), terms_.frontier[step].begin(), terms_.frontier[step].end());
    TermProgram program(terms_.graph, scope_, wanted, given);
    while (!open.empty()) {
      std::vector<std::size_t> still;
      for (std::size_t first = 0; first < open.size(); first += TermProgram::block) {
        const std::size_t count = std::min(TermProgram::block, open.size() - first);
        ask(program, given, questions, std::span(open).subspan(first, count), still);
      }
      use_.steps(open.size());
      open = std::move(still);
    }
    std::vector<std::int64_t> before;
    for (const Question& question : questions) {
      if (question.high > range(step - 1).low && question.high <= range(step - 1).high) before.push_back(question.high);
    }
    return before;
  }

  std::vector<Question> questions_at(std::size_t step, const std::vector<std::int64_t>& behind) const {
    std::vector<Question> questions;
    const Range& numbers = range(step - 1);
    // One beyond the range stands for "never"; ranges end below the largest number, see range_of.
    const std::int64_t never =
        numbers.high == std::numeric_limits<std::int64_t>::max() ? numbers.high : numbers.high + 1;
    for (std::size_t value = 0; value < widths_[step]; ++value) {
      for (const TermId root : terms_.decided[step]) {
        questions.push_back({value, root, 1, trends_[root] == Monotony::falling, numbers.low, never});
      }
      if (terms_.frontier[step].empty()) continue;
      const TermId result = terms_.frontier[step][0];
      for (const std::int64_t threshold : behind)
        questions.push_back({value, result, threshold, trends_[result] == Monotony::falling, numbers.low, never});
    }
    return questions;
  }

  // Halves the interval of each question. The answer is the first number at which the truth changes.
  void ask(TermProgram& program, const std::vector<TermId>& given, std::vector<Question>& questions,
           std::span<const std::size_t> asked, std::vector<std::size_t>& still) const {
    for (const TermId id : given) {
      std::int64_t* const input = program.input(id);
      if (input == nullptr) continue;
      for (std::size_t i = 0; i < asked.size(); ++i) {
        const Question& question = questions[asked[i]];
        input[i] = id == given[0] ? middle(question) : terms_.graph.column(id)[question.value];
      }
    }
    program.run(asked.size());
    for (std::size_t i = 0; i < asked.size(); ++i) {
      Question& question = questions[asked[i]];
      const std::int64_t half = middle(question);
      const bool changed = (program.output(question.term)[i] >= question.wanted) != question.falling;
      (changed ? question.high : question.low) = changed ? half : half + 1;
      if (question.low < question.high) still.push_back(asked[i]);
    }
  }

  static std::int64_t middle(const Question& question) {
    const auto width = static_cast<std::uint64_t>(question.high) - static_cast<std::uint64_t>(question.low);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(question.low) + width / 2);
  }

  const WideTerms& terms_;
  const RuleScope& scope_;
  const std::vector<std::size_t>& widths_;
  BudgetUse& use_;
  std::vector<Monotony> trends_;  // with the present number
};

}  // namespace

Thresholds::Thresholds(std::vector<std::int64_t> ascending, const Range& numbers)
    : at_(std::move(ascending)),
      narrow_(numbers.low >= std::numeric_limits<std::int32_t>::min() &&
              numbers.high < std::numeric_limits<std::int32_t>::max()) {}

const std::vector<std::uint32_t>& Thresholds::classes_of(std::span<const std::int64_t> numbers) const {
  constexpr std::size_t few = 16;  // up to here, comparing with each threshold is faster than bisection
  classes_.assign(numbers.size(), 0);
  if (at_.size() <= few && narrow_) {
    narrowed_.assign(numbers.begin(), numbers.end());
    for (const std::int64_t at : at_) {
      const auto threshold = static_cast<std::int32_t>(at);
      for (std::size_t i = 0; i < narrowed_.size(); ++i) classes_[i] += narrowed_[i] >= threshold ? 1 : 0;
    }
    return classes_;
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::int64_t* first = at_.data();
    for (std::size_t left = at_.size(); left > 0;) {
      const std::size_t half = (left + 1) / 2;
      first = first[half - 1] <= numbers[i] ? first + half : first;
      left -= half;
    }
    classes_[i] = static_cast<std::uint32_t>(first - at_.data());
  }
  return classes_;
}

std::vector<std::optional<Thresholds>> find_thresholds(const WideTerms& terms, const RuleScope& scope,
                                                       const std::vector<std::size_t>& widths, BudgetUse& use) {
  if (widths.size() < 2) return std::vector<std::optional<Thresholds>>(widths.size());
  return ThresholdSearch(terms, scope, widths, use).run();
}

}  // namespace attune::space
