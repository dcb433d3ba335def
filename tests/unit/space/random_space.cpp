#include "unit/space/random_space.hpp"

#include <algorithm>
#include <limits>

namespace attune {
namespace {

const std::vector<std::string> comparators = {" == ", " != ", " < ", " <= ", " > ", " >= "};
const std::vector<std::string> type_names = {"float", "double", "half", "int32", "Order::rows", "Order::columns"};
constexpr std::int64_t huge[] = {std::int64_t{1} << 31,
                                 std::int64_t{1} << 32,
                                 std::int64_t{1} << 40,
                                 std::int64_t{1} << 62,
                                 -(std::int64_t{1} << 62),
                                 (std::int64_t{1} << 53) + 1,
                                 std::numeric_limits<std::int64_t>::max(),
                                 std::numeric_limits<std::int64_t>::min()};
constexpr double reals[] = {0.5, 1.0, 0.1, 2.0, -1.5, 1e300, 3.0, 9007199254740992.0};

std::size_t combinations_of(const std::vector<Parameter>& parameters) {
  std::size_t product = 1;
  for (const auto& parameter : parameters) product *= parameter.values.size();
  return product;
}

}  // namespace

RandomSpace::RandomSpace(std::uint64_t seed, const SpaceShape& shape) : device(device_limits("sm_90")), random_(seed) {
  problem = Problem{{"n", 24}, {"zero", 0}, {"T", "float"}};
  odd_ = chance(3);
  do {
    parameters.clear();
    for (int count = 1 + pick(shape.most_parameters); count > 0; --count)
      parameters.push_back({"P" + std::to_string(parameters.size()), values(shape.most_values)});
  } while (combinations_of(parameters) > shape.most_combinations ||
           combinations_of(parameters) < shape.least_combinations);
  for (const auto& parameter : parameters)
    (parameter.values[0].is_name() ? names_ : numbers_).push_back(parameter.name);
  // Most spaces have a combination that is legal; those whose rules are left to chance are mostly empty.
  Configuration witness;
  for (const auto& [name, values] : parameters) witness.set(name, values[random_() % values.size()]);
  if (chance(5)) witness = {};
  if (shape.wide)
    add_rule(
        Dialect::attune, [this] { return wide_condition(); }, witness);
  for (int count = pick(shape.most_rules + 1); count > 0; --count) {
    const Dialect dialect = chance(4) ? Dialect::python : Dialect::attune;
    add_rule(
        dialect, [&] { return dialect == Dialect::python ? python_condition(1) : condition(1); }, witness);
  }
}

// The first of some rules that `witness` obeys; an empty witness obeys any.
void RandomSpace::add_rule(Dialect dialect, const std::function<std::string()>& make, const Configuration& witness) {
  constexpr int tries = 20;
  for (int i = 0; i < tries; ++i) {
    const Expression rule(make(), dialect);
    if (!witness.empty() && !rule.holds({&problem, &witness, &device})) continue;
    rules.push_back({rule, chance(4)});
    return;
  }
}

SearchSpace RandomSpace::space(const SpaceBudget& budget) const {
  return SearchSpace(parameters, rules, &problem, &device, budget);
}

SearchSpace RandomSpace::relaxed(const SpaceBudget& budget) const {
  return SearchSpace::relaxed(parameters, rules, &problem, &device, budget);
}

std::string RandomSpace::text() const {
  std::string text = problem.text();
  for (const auto& parameter : parameters) {
    text += "\n" + parameter.name + " in";
    for (const auto& value : parameter.values) text += " " + value.text();
  }
  for (const auto& rule : rules)
    text += (rule.expression.dialect() == Dialect::python ? "\npython: " : "\nrule: ") + rule.expression.text();
  return text;
}

std::vector<Value> RandomSpace::values(int most_values) {
  const int count = 1 + pick(most_values);
  std::vector<Value> list;
  switch (pick(odd_ ? 6 : 12)) {
    case 0:
      for (const auto& name : type_names) list.emplace_back(name);
      break;
    case 1:
      for (const double real : reals) list.emplace_back(real);
      break;
    case 2:
      list = {true, false};
      break;
    default:
      list = integers(count);
  }
  std::shuffle(list.begin(), list.end(), random_);
  if (list.size() > static_cast<std::size_t>(count)) list.resize(static_cast<std::size_t>(count));
  return list;
}

std::vector<Value> RandomSpace::integers(int count) {
  std::vector<Value> list;
  const int first = pick(6) - 1, step = 1 + pick(3), form = pick(8);
  for (int i = 0; i < count; ++i) list.emplace_back(form < 2 ? std::int64_t{1} << i : first + i * step);
  if (form == 7) list.back() = huge[pick(8)];
  return list;
}

std::string RandomSpace::any_name() { return parameters[random_() % parameters.size()].name; }

std::string RandomSpace::number() { return numbers_.empty() || chance(odd_ ? 6 : 60) ? any_name() : one_of(numbers_); }

std::string RandomSpace::named() { return names_.empty() || chance(10) ? any_name() : one_of(names_); }

std::string RandomSpace::constant() {
  if (odd_ && chance(4)) return Value(reals[pick(8)]).text();
  switch (pick(24)) {
    case 0:
      return "n";
    case 1:
      return "device.warp_size";
    case 2:
      return "zero";
    case 3:
      return std::to_string(huge[pick(7)]);
    case 4:
      return "2.5";
    case 5:
      return "sizeof(T)";
    default:
      return std::to_string(pick(13) - 1);
  }
}

std::string RandomSpace::term(int depth) {
  static const std::vector<std::string> operators = {" + ",  " - ",  " * ", " * ", " / ", " % ",
                                                     " << ", " >> ", " & ", " | ", " ** "};
  static const std::vector<std::string> functions = {"min", "max", "ceil_div", "round_up"};
  static const std::vector<std::string> of_one = {"log2", "abs", "floor", "ceil", "sqrt", "is_pow2", "-", "!"};
  if (depth == 0) return chance(5) ? constant() : number();
  switch (pick(10)) {
    case 0:
      return one_of(functions) + "(" + term(depth - 1) + ", " + term(depth - 1) + ")";
    case 1:
      return one_of(of_one) + "(" + term(depth - 1) + ")";
    case 2:
      return "(" + comparison() + " ? " + term(depth - 1) + " : " + term(depth - 1) + ")";
    case 3:
      return number() + " * " + number() + " * " + number();
    case 4:
      return number() + " + " + number() + " + " + number();
    default:
      return "(" + term(depth - 1) + one_of(operators) + term(depth - 1) + ")";
  }
}

std::string RandomSpace::comparison() {
  return term(pick(3)) + one_of(comparators) + (chance(2) ? constant() : term(pick(2)));
}

std::string RandomSpace::divisibility() {
  const std::string left = chance(3) ? "(" + number() + " * " + number() + ")" : number();
  return left + " % " + (chance(4) ? constant() : number()) + " == 0";
}

std::string RandomSpace::membership() {
  std::string list;
  for (int count = pick(4); count >= 0; --count)
    list += (list.empty() ? "" : ", ") + (chance(5) ? number() : constant());
  return term(pick(2)) + (chance(3) ? " not in [" : " in [") + list + "]";
}

std::string RandomSpace::about_names() {
  switch (pick(4)) {
    case 0:
      return named() + " == " + named();
    case 1:
      return named() + " in ['" + one_of(type_names) + "', '" + one_of(type_names) + "']";
    case 2:
      return "sizeof(" + named() + ") * " + number() + " <= 8";
    default:
      return named() + (chance(2) ? " == '" : " != '") + one_of(type_names) + "'";
  }
}

std::string RandomSpace::condition(int depth) {
  if (depth > 0) {
    switch (pick(8)) {
      case 0:
        return condition(depth - 1) + " || " + condition(depth - 1);
      case 1:
        return "(" + condition(depth - 1) + ") && " + condition(0);
      case 2:
        return "not (" + condition(depth - 1) + ")";
      case 3:
        return condition(0) + " ? " + condition(depth - 1) + " : " + term(1);
      case 4:
        return "!(" + condition(0) + " || " + condition(0) + ")";
      default:
        break;
    }
  }
  switch (pick(8)) {
    case 0:
    case 1:
      return divisibility();
    case 2:
      return membership();
    case 3:
      return about_names();
    case 4:
      return number() + one_of(comparators) + number();
    default:
      return comparison();
  }
}

// Sums and products of everything, compared or divided; the forms that are common in kernels and some that are not.
std::string RandomSpace::wide_condition() {
  static const std::vector<std::string> joins = {" * ", " + ", " | ", " - "};
  const std::string join = one_of(joins);
  const bool weighted = chance(3), extreme = chance(6), mixed = chance(3);
  std::string all;
  for (const auto& name : numbers_) {
    std::string part = weighted ? "(" + name + " * " + std::to_string(1 + pick(5)) + " + " + constant() + ")" : name;
    if (mixed && chance(3)) part = "(" + term(1) + ")";
    if (all.empty()) {
      all = part;
    } else {
      all = extreme ? (chance(2) ? "min(" : "max(") + all + ", " + part + ")" : all + join + part;
    }
  }
  const std::string limit = chance(3) ? number() : std::to_string(join == " * " ? 1 << pick(12) : pick(40));
  switch (pick(5)) {
    case 0:
      return "(" + all + ") % " + std::to_string(2 + pick(9)) + " == " + std::to_string(pick(3));
    case 1:
      return number() + " == 0 || " + all + " <= " + limit;
    case 2:
      return "(" + comparison() + ") ? " + all + " > " + limit + " : " + all + " <= " + number() + " * 4";
    default:
      return all + one_of(comparators) + limit;
  }
}

std::string RandomSpace::python_term(int depth) {
  static const std::vector<std::string> operators = {" + ", " - ", " * ", " / ", " // ", " % ", " ** ", " << ", " & "};
  if (depth == 0) return chance(4) ? (odd_ ? Value(reals[pick(8)]).text() : std::to_string(pick(13) - 1)) : number();
  switch (pick(9)) {
    case 0:
      return (chance(2) ? "min(" : "max(") + python_term(depth - 1) + ", " + python_term(depth - 1) + ")";
    case 1:
      return (chance(2) ? "round(" : "int(") + python_term(depth - 1) + ")";
    case 2:
      return "[1, 2, 4, 8][" + python_term(depth - 1) + "]";
    case 3:
      return "(" + python_term(0) + " if " + number() + " else " + python_term(depth - 1) + ")";
    case 4:
      return "(" + number() + (chance(2) ? " and " : " or ") + python_term(depth - 1) + ")";
    default:
      return "(" + python_term(depth - 1) + one_of(operators) + python_term(depth - 1) + ")";
  }
}

std::string RandomSpace::python_condition(int depth) {
  if (depth > 0) {
    switch (pick(6)) {
      case 0:
        return python_condition(depth - 1) + " or " + python_condition(depth - 1);
      case 1:
        return python_condition(depth - 1) + " and " + python_condition(depth - 1);
      case 2:
        return "not (" + python_condition(depth - 1) + ")";
      default:
        break;
    }
  }
  switch (pick(6)) {
    case 0:
      return python_term(pick(2)) + " < " + python_term(1) + one_of(comparators) + python_term(pick(2));
    case 1:
      return python_term(pick(2)) + (chance(2) ? " in (" : " not in (") + python_term(0) + ", " + python_term(0) + ")";
    case 2:
      return named() + (chance(2) ? " == '" : " != '") + one_of(type_names) + "'";
    case 3:
      return any_name();
    default:
      return python_term(pick(3)) + one_of(comparators) + python_term(pick(2));
  }
}

}  // namespace attune
