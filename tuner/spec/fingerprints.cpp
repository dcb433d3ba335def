// Fingerprints: docs/formats/fingerprints.md.
#include "attune/kernel_spec.hpp"
#include "base/digest.hpp"
#include "base/enum_texts.hpp"
#include "kernel/fill_values.hpp"
#include "spec/code_tokens.hpp"
#include "spec/includes.hpp"
#include "spec/kernel_file.hpp"

namespace attune {
namespace {

// To be raised with every change of the fields below, so that every fingerprint then differs.
constexpr std::string_view code_version = "attune code 2";
constexpr std::string_view contract_version = "attune contract 1";
constexpr std::string_view space_version = "attune space 1";

// A length precedes each list of fields, so that no two specs give the same fields.
void add_count(Digest& digest, std::size_t count) { digest.add(std::to_string(count)); }
void add_strings(Digest& digest, const std::vector<std::string>& texts) {
  add_count(digest, texts.size());
  for (const auto& text : texts) digest.add(text);
}
void add_expressions(Digest& digest, const std::vector<Expression>& expressions) {
  add_count(digest, expressions.size());
  for (const auto& expression : expressions) digest.add(expression.text());
}
void add_optional(Digest& digest, const std::optional<Expression>& expression) {
  digest.add(expression ? "given" : "absent");
  if (expression) digest.add(expression->text());
}

void add_problem(Digest& digest, const std::vector<ProblemParameter>& problem) {
  add_count(digest, problem.size());
  for (const auto& entry : problem) {
    digest.add(entry.name).add(std::to_string(static_cast<int>(entry.kind)));
    add_strings(digest, entry.types);
    digest.add(entry.default_value ? std::to_string(*entry.default_value) : "none");
    add_count(digest, entry.device_default.size());
    for (const auto& [kind, value] : entry.device_default) digest.add(kind).add(std::to_string(value));
    if (entry.kind == ProblemKind::choice) add_strings(digest, entry.choices);
  }
}

void add_steps(Digest& digest, const std::vector<Step>& steps) {
  add_count(digest, steps.size());
  for (const auto& step : steps) {
    digest.add(step.kind == StepKind::launch ? "launch" : "memset").add(step.entry);
    add_expressions(digest, step.grid);
    add_expressions(digest, step.block);
    add_optional(digest, step.shared);
    add_strings(digest, step.arguments);
    digest.add(step.memset_argument).add(std::to_string(step.memset_value));
    add_optional(digest, step.when);
    if (!step.cluster.empty()) add_expressions(digest.add("cluster"), step.cluster);
    if (step.overlap) digest.add("overlap").add(step.overlap->text());
    if (step.cooperative) digest.add("cooperative").add(step.cooperative->text());
  }
}

void add_fill(Digest& digest, const std::optional<Fill>& fill) {
  if (!fill) {
    digest.add("no fill");
    return;
  }
  if (!is_constant(*fill)) {
    digest.add(std::to_string(static_cast<int>(fill->kind))).add("of the problem");
    add_expressions(digest, fill->numbers);
    return;
  }
  const FillValues values = fill_values(*fill, {});
  digest.add(std::to_string(static_cast<int>(values.kind))).add("bounds");
  digest.add(Value(values.a).text()).add(Value(values.b).text());
  digest.add(std::to_string(values.integer_a)).add(std::to_string(values.integer_b));
}

void add_tiles(Digest& digest, const TiledView& tiles) {
  digest.add("tensor").add(tiles.array);
  add_expressions(digest, tiles.shape);
  add_expressions(digest, tiles.strides);
  add_expressions(digest, tiles.box);
  add_optional(digest, tiles.swizzle);
  add_optional(digest, tiles.when);
}

void add_arguments(Digest& digest, const std::vector<Argument>& arguments) {
  add_count(digest, arguments.size());
  for (const auto& argument : arguments) {
    digest.add(argument.name).add(argument.type).add(std::to_string(static_cast<int>(argument.role)));
    add_optional(digest, argument.size);
    add_fill(digest, argument.fill);
    digest.add(argument.restore ? "restored" : "kept");
    add_optional(digest, argument.value);
    if (argument.is_mapped) add_optional(digest.add("mapped"), argument.mapped_where);
    if (!argument.symbol.empty()) digest.add("symbol").add(argument.symbol);
    if (argument.by_value) digest.add("by value");
    if (argument.tiles) add_tiles(digest, *argument.tiles);
  }
}

std::string code_of(const KernelSpec& spec) {
  Digest digest;
  digest.add(code_version).add(code_tokens(spec.source.text));
  add_count(digest, spec.source.headers.size());
  for (const auto& header : spec.source.headers) digest.add(header.name).add(code_tokens(header.text));
  digest.add(includes_attune(spec.source) ? code_tokens(attune_cuh()) : std::string());
  add_strings(digest, spec.compile.options);
  constexpr EnumTexts<Defines> defines("templates", "defines", "defines of parameters");
  digest.add(defines[spec.compile.defines]).add(spec.compile.requires_architecture);
  if (spec.compile.defines_before) digest.add("before");
  if (spec.compile.ignores_host_code) digest.add("ignores host code");
  if (spec.compile.requires_where) digest.add("where").add(spec.compile.requires_where->text());
  return digest.hex();
}

std::string contract_of(const KernelSpec& spec) {
  Digest digest;
  digest.add(contract_version);
  add_problem(digest, spec.problem);
  add_steps(digest, spec.launch);
  add_arguments(digest, spec.arguments);
  return digest.hex();
}

std::string space_of(const KernelSpec& spec) {
  Digest digest;
  digest.add(space_version);
  add_count(digest, spec.parameters.size());
  for (const auto& parameter : spec.parameters) {
    digest.add(parameter.name);
    add_count(digest, parameter.values.size());
    for (const auto& value : parameter.values) {
      digest.add(std::to_string(static_cast<int>(value.kind()))).add(value.text());
    }
  }
  add_expressions(digest, spec.rules);
  return digest.hex();
}

}  // namespace

Fingerprints fingerprints_of(const KernelSpec& spec) { return {code_of(spec), contract_of(spec), space_of(spec)}; }

}  // namespace attune
