// The fields of a KernelPack, in the order of docs/formats/bundle.md: one list serves writing and reading.
#pragma once

#include <type_traits>
#include <utility>

#include "bundle/kernel_pack.hpp"
#include "bundle/value_fields.hpp"
#include "core/source_fields.hpp"

namespace attune {

// Writes an expression as text, because parsing takes microseconds and a text means the same in every version.
inline void write_value(WriteArchive& a, const Expression& expression) {
  a.choice(expression.dialect(), Dialect::python);
  a(expression.text());
}

inline Expression read_value(ReadArchive& a, std::type_identity<Expression>) {
  Dialect dialect{};
  std::string text;
  a.choice(dialect, Dialect::python);
  a(text);
  try {
    if (!a.failed()) return Expression(text, dialect);
  } catch (const Error&) {
    a.fail();
  }
  return Expression(Value(false));
}

template <typename Set>
void write_bindings(WriteArchive& a, const Set& bindings) {
  a(static_cast<std::uint32_t>(bindings.size()));
  for (const Binding& binding : bindings) a(binding.name, binding.value);
}

inline void write_value(WriteArchive& a, const Configuration& bindings) { write_bindings(a, bindings); }

inline Configuration read_value(ReadArchive& a, std::type_identity<Configuration>) {
  std::uint32_t count = 0;
  a(count);
  std::vector<Binding> items;
  for (std::uint32_t i = 0; i < count && !a.failed(); ++i) {
    Binding& item = items.emplace_back();
    a(item.name, item.value);
  }
  return Configuration(std::move(items));
}

void fields(auto& a, Is<ProblemParameter> auto& x) {
  a(x.name);
  a.choice(x.kind, ProblemKind::choice);
  a(x.types, x.default_value, x.device_default, x.choices);
}

void fields(auto& a, Is<Parameter> auto& x) { a(x.name, x.values); }

void fields(auto& a, Is<Step> auto& x) {
  a.choice(x.kind, StepKind::memset);
  a(x.entry, x.entry_line, x.grid, x.block, x.shared, x.cluster, x.overlap, x.cooperative, x.arguments,
    x.memset_argument, x.memset_value, x.when);
}

void fields(auto& a, Is<TiledView> auto& x) { a(x.array, x.shape, x.strides, x.box, x.swizzle, x.when); }

void fields(auto& a, Is<Argument> auto& x) {
  a(x.name, x.type);
  a.choice(x.role, Role::map);
  a(x.size, x.value, x.is_mapped, x.mapped_where, x.symbol, x.by_value, x.tiles);
}

void fields(auto& a, Is<CompileOptions> auto& x) {
  a(x.options);
  a.choice(x.defines, Defines::parameters);
  a(x.defines_before, x.ignores_host_code, x.requires_architecture, x.requires_where);
}

void fields(auto& a, Is<Fingerprints> auto& x) { a(x.code, x.contract, x.space); }

void fields(auto& a, Is<KernelSpec> auto& x) {
  a(x.name, x.summary, x.source, x.folder, x.problem, x.parameters, x.rules, x.launch, x.verify, x.arguments, x.compile,
    x.fingerprints, x.deterministic);
}

void fields(auto& a, Is<KernelPack> auto& x) { a(x.spec, x.tune_target, x.fallbacks); }

}  // namespace attune
