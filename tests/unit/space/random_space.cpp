#include "unit/space/random_space.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>

#include "support/cases.hpp"

namespace attune {
namespace {

const std::vector<std::string> type_names = {"float", "double", "half", "int32", "Order::rows", "Order::columns"};
using Limits = std::numeric_limits<std::int64_t>;
constexpr std::int64_t huge[] = {0x8000'0000,           0x1'0000'0000,          0x100'0000'0000,
                                 0x4000'0000'0000'0000, -0x4000'0000'0000'0000, 0x20'0000'0000'0001,
                                 Limits::max(),         Limits::min()};
constexpr double reals[] = {0.5, 1.0, 0.1, 2.0, -1.5, 1e300, 3.0, 9007199254740992.0};

// The forms that a symbol <name> may have, parted by two blanks; a form is N times as likely where `Nx` precedes it.
// Those of name+ are taken where there is depth left.
constexpr std::string_view grammar_text = R"(
  comparator:        ==  !=  <  <=  >  >=
  operator:          +  -  2x *  /  %  <<  >>  &  |  **
  of_two:            min  max  ceil_div  round_up
  of_one:            log2  abs  floor  ceil  sqrt  is_pow2  -  !
  constant:          14x <small>  n  device.warp_size  zero  <huge>  2.5  sizeof(T)
  term:              4x <number>  <constant>
  term+:             <of_two>(<term>, <term>)  <of_one>(<term>)  (<comparison> ? <term> : <term>)
  term+:             <number> * <number> * <number>  <number> + <number> + <number>  5x (<term> <operator> <term>)
  comparison:        <any_term> <comparator> <constant>  <any_term> <comparator> <any_term>
  any_term:          <term 0>  <term 1>  <term 2>
  member:            4x <constant>  <number>
  list:              <member>  <member>, <member>  <member>, <member>, <member>, <member>
  condition:         <number> % <number> == 0  <number> % <constant> == 0  (<number> * <number>) % <number> == 0
  condition:         <any_term> in [<list>]  <term 1> not in [<list>]  sizeof(<named>) * <number> <= 8
  condition:         <named> == <named>  <named> in ['<type>', '<type>']  <named> == '<type>'  <named> != '<type>'
  condition:         <number> <comparator> <number>  3x <comparison>
  condition+:        <condition> || <condition>  (<condition>) && <condition 0>  not (<condition>)
  condition+:        <condition 0> ? <condition> : <term 1>  !(<condition 0> || <condition 0>)  3x <condition 0>
  python_constant:   2x <small>  <real>
  python_operator:   +  -  *  /  //  %  **  <<  &
  python_term:       3x <number>  <python_constant>
  python_term+:      min(<python_term>, <python_term>)  max(<python_term>, <python_term>)  round(<python_term>)
  python_term+:      int(<python_term>)  [1, 2, 4, 8][<python_term>]  (<number> and <python_term>)
  python_term+:      (<python_term 0> if <number> else <python_term>)  (<number> or <python_term>)
  python_term+:      6x (<python_term> <python_operator> <python_term>)
  python_any:        <python_term 0>  <python_term 1>  <python_term 2>
  python_condition:  <python_term 1> < <python_term 1> <comparator> <python_any>  <any_name>
  python_condition:  <python_any> in (<python_term 0>, <python_term 0>)  <named> == '<type>'  <named> != '<type>'
  python_condition:  <python_any> not in (<python_term 0>, <python_term 0>)  3x <python_any> <comparator> <python_any>
  python_condition+: <python_condition> or <python_condition>  <python_condition> and <python_condition>
  python_condition+: not (<python_condition>)  3x <python_condition 0>)";

using Grammar = std::map<std::string, std::vector<std::string>>;

Grammar read_grammar() {
  Grammar grammar;
  for (const std::string& line : parted(grammar_text, "\n")) {
    const std::size_t colon = line.find(':');
    for (std::string form : parted(std::string_view(line).substr(std::min(colon + 1, line.size())), "  ")) {
      if (form.empty()) continue;
      const std::size_t weight = form.find("x ");
      const bool is_weighted = weight != std::string::npos && form.find_first_not_of("0123456789") == weight;
      const int times = is_weighted ? std::stoi(form) : 1;
      if (is_weighted) form.erase(0, weight + 2);
      auto& forms = grammar[line.substr(0, colon)];
      forms.insert(forms.end(), static_cast<std::size_t>(times), form);
    }
  }
  return grammar;
}

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
  for (const auto& parameter : parameters) {
    all_.push_back(parameter.name);
    (parameter.values[0].is_name() ? names_ : numbers_).push_back(parameter.name);
  }
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
        dialect, [&] { return written(dialect == Dialect::python ? "python_condition" : "condition", 1); }, witness);
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

// One of the forms of a symbol, with nothing left to fill in.
std::string RandomSpace::written(const std::string& symbol, int depth) {
  if (symbol == "number") return numbers_.empty() || chance(odd_ ? 6 : 60) ? one_of(all_) : one_of(numbers_);
  if (symbol == "named") return names_.empty() || chance(10) ? one_of(all_) : one_of(names_);
  if (symbol == "any_name") return one_of(all_);
  if (symbol == "type") return one_of(type_names);
  if (symbol == "huge") return std::to_string(huge[pick(7)]);
  if (symbol == "real") return Value(reals[pick(8)]).text();
  if (symbol == "small" && !(odd_ && chance(4))) return std::to_string(pick(13) - 1);
  if (symbol == "small") return written("real");
  static const Grammar grammar = read_grammar();
  const auto deep = grammar.find(symbol + "+");
  return filled(one_of(depth > 0 && deep != grammar.end() ? deep->second : grammar.at(symbol)), depth - 1);
}

// Writes a form's symbols: <name 1> to the depth that it gives, <name> to what is left of the form's own.
std::string RandomSpace::filled(std::string form, int depth) {
  for (std::size_t begin = 0; (begin = form.find('<', begin)) != std::string::npos;) {
    const std::size_t end = form.find('>', begin);
    if (end == std::string::npos || !std::isalpha(static_cast<unsigned char>(form[begin + 1]))) {
      ++begin;
      continue;
    }
    std::string symbol = form.substr(begin + 1, end - begin - 1);
    const std::size_t blank = symbol.find(' ');
    const int given = blank == std::string::npos ? depth : symbol[blank + 1] - '0';
    const std::string text = written(symbol.substr(0, blank), given);
    form.replace(begin, end + 1 - begin, text);
    begin += text.size();
  }
  return form;
}

// Sums and products of everything, compared or divided; the forms that are common in kernels and some that are not.
std::string RandomSpace::wide_condition() {
  static const std::vector<std::string> joins = {" * ", " + ", " | ", " - "};
  const std::string join = one_of(joins);
  const bool weighted = chance(3), extreme = chance(6), mixed = chance(3);
  std::string all;
  for (const auto& name : numbers_) {
    std::string part =
        weighted ? "(" + name + " * " + std::to_string(1 + pick(5)) + " + " + written("constant") + ")" : name;
    if (mixed && chance(3)) part = "(" + written("term", 1) + ")";
    if (all.empty()) {
      all = part;
    } else {
      all = extreme ? (chance(2) ? "min(" : "max(") + all + ", " + part + ")" : all + join + part;
    }
  }
  const std::string limit = chance(3) ? written("number") : std::to_string(join == " * " ? 1 << pick(12) : pick(40));
  switch (pick(5)) {
    case 0:
      return "(" + all + ") % " + std::to_string(2 + pick(9)) + " == " + std::to_string(pick(3));
    case 1:
      return written("number") + " == 0 || " + all + " <= " + limit;
    case 2:
      return "(" + written("comparison") + ") ? " + all + " > " + limit + " : " + all + " <= " + written("number") +
             " * 4";
    default:
      return all + " " + written("comparator") + " " + limit;
  }
}

}  // namespace attune
