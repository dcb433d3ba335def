#include "exports/table_code.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "attune/error.hpp"
#include "core/type_table.hpp"
#include "exports/cpp_text.hpp"
#include "exports/provenance.hpp"
#include "kernel/ladder.hpp"

namespace attune {
namespace {

// Returns the least magnitude that is infinite once it is rounded to the type; 0 where any double fits.
std::string_view first_infinite(const TypeInfo& type) {
  if (type.name == "half") return "65520.0";
  if (type.name == "bfloat16") return "0x1.ffp+127";
  return type.name == "float" ? "0x1.ffffffp+127" : "0.0";
}

bool is_name_kind(ProblemKind kind) { return kind == ProblemKind::type || kind == ProblemKind::choice; }

const std::vector<std::string>& names_of(const ProblemParameter& parameter) {
  return parameter.kind == ProblemKind::type ? parameter.types : parameter.choices;
}

std::string problem_member(const ProblemParameter& parameter) {
  const std::string name = cpp_member(parameter.name);
  if (is_name_kind(parameter.kind)) {
    std::string known;
    for (const std::string& one : names_of(parameter)) known += (known.empty() ? "" : ", ") + one;
    return fmt::format("  std::string_view {} = {};  // {}\n", name, cpp_string(names_of(parameter).front()),
                       cpp_comment(known));
  }
  const std::string value = parameter.default_value ? cpp_literal(Value(*parameter.default_value)) : "0";
  return fmt::format("  std::int64_t {} = {};{}\n", name, value,
                     parameter.kind == ProblemKind::integer ? ""
                     : parameter.default_value              ? "  // 1 to 2^62"
                                                            : "  // 1 to 2^62; there is no default");
}

std::string text_function(std::string_view structure, const std::vector<std::pair<std::string, std::string>>& parts) {
  std::string text = fmt::format(
      "// Returns \"NAME=value NAME=value\", as attune's command line takes it.\n"
      "inline std::string text_of([[maybe_unused]] const {}& values) {{\n  std::string text;\n",
      structure);
  std::string_view space = "";
  for (const auto& [name, code] : parts) {
    text += fmt::format("  text += \"{}{}=\";\n  text += {};\n", space, name, code);
    space = " ";
  }
  return text + "  return text;\n}\n\n";
}

std::string value_text_code(const Parameter& parameter) {
  const std::string member = "values." + cpp_member(parameter.name);
  const Value& first = parameter.values.front();
  if (first.is_name()) return member;
  if (first.is_integer()) return fmt::format("std::to_string({})", member);
  std::string chain;
  for (const Value& value : parameter.values)
    chain += fmt::format("{} == {} ? \"{}\" : ", member, value.text(), value.text());
  return chain + "\"\"";
}

// Returns code that tells whether the problem `p` has the values that `part` binds.
std::string admitted_code(const Bindings& part) {
  std::string code;
  for (const Binding& binding : part)
    code +=
        fmt::format("{}p.{} == {}", code.empty() ? "" : " && ", cpp_member(binding.name), cpp_literal(binding.value));
  return code.empty() ? "true" : code;
}

std::string problem_check(const ProblemParameter& parameter, int least) {
  const std::string member = "p." + cpp_member(parameter.name);
  if (parameter.kind == ProblemKind::integer) return "";
  if (parameter.kind == ProblemKind::size)
    return fmt::format("  if ({0} < {1} || {0} > (std::int64_t{{1}} << 62)) return {{{2}, \"\"}};\n", member, least,
                       cpp_string(fmt::format("problem `{}`: expected a size from {} to 2^62", parameter.name, least)));
  std::string is_known;
  for (const std::string& name : names_of(parameter))
    is_known += fmt::format("{}{} == {}", is_known.empty() ? "" : " || ", member, cpp_string(name));
  return fmt::format("  if (!({})) return {{{}, \"\"}};\n", is_known,
                     cpp_string(fmt::format("problem `{}`: the kernel file does not list this name", parameter.name)));
}

// Returns code that tells whether the device `d` has the architecture `required`, such as "sm_90a".
std::string architecture_code(const std::string& required) {
  const std::string digits = required.starts_with("sm_") ? required.substr(3) : std::string();
  const std::size_t end = digits.find_first_not_of("0123456789");
  const std::string suffix = end == std::string::npos ? "" : digits.substr(end);
  if (digits.empty() || end == 0 || (!suffix.empty() && suffix != "a" && suffix != "f")) return "false";
  return fmt::format("(d.kind == \"cuda\" && d.compute_capability == {})", digits.substr(0, end));
}

std::string record_row(const HeaderTerms& terms, const TableRecord& row) {
  const Record& record = row.record;
  return fmt::format(
      "    {{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}},\n", cpp_string(record.key.device_class),
      record.compute_capability, record.multiprocessors, cpp_braces(record.key.problem), row.configuration,
      record.origin == Origin::pinned, record.key.regime == terms.regime, record.key.regime == "warm",
      is_of_present_meaning(record.protocol), record.key.kernel != terms.spec.name, cpp_string(record.driver),
      cpp_string(record.device_name), cpp_literal(Value(record.speedup)), is_default_faster(record),
      cpp_string(has_default_failed(record) ? std::string(default_failure(record)) : ""));
}

}  // namespace

std::string type_table_code() {
  std::string text =
      "// The element types.\nstruct Type {\n  std::string_view name, spelling;\n  std::int64_t size;\n"
      "  double epsilon, first_infinite;\n  char kind;  // b: boolean, i: integer, u: without a sign, f: "
      "floating\n};\n\n"
      "inline constexpr Type types[] = {\n";
  for (const TypeInfo& type : type_table())
    text += fmt::format("    {{\"{}\", \"{}\", {}, {}, {}, '{}'}},\n", type.name, type.spelling, type.size,
                        Value(type.epsilon).text(), first_infinite(type), "biuf"[static_cast<int>(type.type_class)]);
  return text +
         "};\n\nconstexpr const Type* find_type(std::string_view name) {\n  for (const Type& type : types) {\n"
         "    if (type.name == name) return &type;\n  }\n  return nullptr;\n}\n\n";
}

std::string structure_code(const KernelSpec& spec) {
  std::string text = "// What the application asks for.\nstruct Problem {\n";
  std::vector<std::pair<std::string, std::string>> problem_parts, parts;
  for (const ProblemParameter& parameter : spec.problem) {
    text += problem_member(parameter);
    const std::string member = "values." + cpp_member(parameter.name);
    problem_parts.emplace_back(parameter.name,
                               is_name_kind(parameter.kind) ? member : fmt::format("std::to_string({})", member));
  }
  text += "};\n\n// One value of each parameter.\nstruct Configuration {\n";
  for (const Parameter& parameter : spec.parameters) {
    const Value& first = parameter.values.front();
    text += fmt::format("  {} {} = {};\n", cpp_type(first), cpp_member(parameter.name), cpp_literal(first));
    parts.emplace_back(parameter.name, value_text_code(parameter));
  }
  return text + "};\n\n" + text_function("Problem", problem_parts) + text_function("Configuration", parts);
}

std::string problem_code(const HeaderTerms& terms) {
  std::string text = "constexpr Failure invalid([[maybe_unused]] const Problem& p) {\n", same = "true", sizes;
  std::string is_near, is_empty = "false";
  for (const ProblemParameter& parameter : terms.spec.problem) {
    const std::string member = cpp_member(parameter.name);
    text += problem_check(parameter, terms.spec.may_be_empty ? 0 : 1);
    if (terms.spec.may_be_empty && parameter.kind == ProblemKind::size)
      is_empty += fmt::format(" || p.{} == 0", member);
    same += fmt::format(" &&\n         a.{0} == b.{0}", member);
    if (parameter.kind == ProblemKind::size)
      sizes += fmt::format("  add_size(distance, asked.{0}, known.{0});\n", member);
    else
      is_near += fmt::format("  if (asked.{0} != known.{0}) ++distance.differing;\n", member);
  }
  if (!terms.problems.empty()) {
    std::string is_admitted;
    for (const Bindings& problem : terms.problems)
      is_admitted += (is_admitted.empty() ? "(" : " || (") +
                     admitted_code(compiled_part(terms.spec, problem, terms.with_templates)) + ")";
    text +=
        fmt::format("  if (!({})) return {{\"problem: this header was exported for others\", \"\"}};\n", is_admitted);
  }
  return text + "  return {};\n}\n\n" +
         fmt::format(
             "// Whether nothing is launched, because a size is 0.\n"
             "constexpr bool launches_nothing([[maybe_unused]] const Problem& p) {{ return {}; }}\n\n",
             is_empty) +
         fmt::format(
             "inline bool is_same([[maybe_unused]] const Problem& a, [[maybe_unused]] const Problem& b) {{\n"
             "  return {};\n}}\n\n"
             "inline ProblemDistance distance_of([[maybe_unused]] const Problem& asked, [[maybe_unused]] const "
             "Problem& known) {{\n  ProblemDistance distance;\n{}{}  return distance;\n}}\n\n",
             same, is_near, sizes);
}

std::string legality_code(const KernelSpec& spec, ExpressionCode& expressions) {
  std::string text =
      "// Why a configuration may not be launched: nothing where it may.\n"
      "constexpr Failure legal(const Problem& p, const Configuration& c, const Device& d) {\n";
  for (const Expression& rule : spec.rules)
    text += fmt::format("  if (!holds({})) return {{{}, \"\"}};\n", expressions.call(rule),
                        cpp_string("rule `" + cpp_comment(rule.text()) + "`"));
  const CompileOptions& compile = spec.compile;
  const std::string message = cpp_string(fmt::format("the kernel requires {}", compile.requires_architecture));
  if (compile.requires_where)
    text += fmt::format("  if (holds({}) && !{}) return {{{}, \"\"}};\n", expressions.call(*compile.requires_where),
                        architecture_code(compile.requires_architecture), message);
  text += "  Shapes shapes;\n  if (const Failure failure = geometry(p, c, d, shapes)) return failure;\n";
  if (!spec.verify.empty())
    text += "  VerifyShapes others;\n  if (const Failure failure = verify_geometry(p, c, d, others)) return failure;\n";
  for (std::size_t i = 0; i < spec.arguments.size(); ++i)
    if (spec.arguments[i].role == Role::map)
      text += fmt::format(
          "  TensorMap map_{0};\n  if (const Failure failure = tensor_map_{0}(p, c, d, map_{0})) return "
          "failure;\n",
          i);
  text += "  return {};\n}\n\nconstexpr Failure unsuitable([[maybe_unused]] const Device& d) {\n";
  if (!compile.requires_architecture.empty() && !compile.requires_where)
    text += fmt::format("  if (!{}) return {{{}, \"\"}};\n", architecture_code(compile.requires_architecture), message);
  return text + "  return {};\n}\n\n";
}

std::string tables_code(const HeaderTerms& terms, const ExportTables& tables) {
  std::string text = "inline constexpr Configuration configurations[] = {\n";
  for (std::size_t i = 0; i < tables.configurations.size(); ++i)
    text += fmt::format("    {},  // {}\n", cpp_braces(tables.configurations[i]), i);
  text +=
      "};\n\n// Positions of configurations, in the order in which they are tried; the first is the default.\n"
      "inline constexpr int fall_backs[] = {";
  for (const std::size_t position : tables.fall_backs)
    text += fmt::format("{}{}", position == tables.fall_backs.front() ? "" : ", ", position);
  text += fmt::format("}};\ninline constexpr int fall_back_count = {};\n\n", tables.fall_backs.size());
  text += fmt::format("inline constexpr int record_count = {};\ninline constexpr Record records[] = {{\n",
                      tables.records.size());
  for (const TableRecord& row : tables.records) text += provenance_comment(row.record) + record_row(terms, row);
  if (tables.records.empty()) text += "    {},  // not counted\n";
  return text + "};\n\n";
}

}  // namespace attune
