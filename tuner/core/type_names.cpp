#include "core/type_names.hpp"

#include <utility>

#include "base/near_name.hpp"
#include "core/type_table.hpp"

namespace attune {
namespace {

// Spellings that the table of types lacks, and attune's names for these types.
constexpr std::pair<std::string_view, std::string_view> cpp_names[] = {
    {"long", "int64"},      {"unsigned", "uint32"},    {"unsigned long", "uint64"}, {"char", "int8"},
    {"size_t", "uint64"},   {"std::size_t", "uint64"}, {"ptrdiff_t", "int64"},      {"int8_t", "int8"},
    {"int16_t", "int16"},   {"int32_t", "int32"},      {"int64_t", "int64"},        {"uint8_t", "uint8"},
    {"uint16_t", "uint16"}, {"uint32_t", "uint32"},    {"uint64_t", "uint64"},      {"float32", "float"},
    {"float64", "double"},  {"float16", "half"},       {"nv_bfloat16", "bfloat16"}};

}  // namespace

std::string_view own_type_name(std::string_view name) noexcept {
  for (const TypeInfo& type : type_table())
    if (type.spelling == name) return type.name;
  for (const auto& [spelling, own] : cpp_names)
    if (spelling == name) return own;
  return name;
}

std::string type_suggestion(std::string_view name, std::vector<std::string> known) {
  for (const TypeInfo& type : type_table()) known.emplace_back(type.name);
  return suggestion(own_type_name(name), known);
}

}  // namespace attune
