#include "device/host/host_data.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "core/type_table.hpp"
#include "device/data_ops.hpp"
#include "device/host/sanitizer.hpp"
#include "kernel/zipf.hpp"

namespace attune {
namespace {

namespace ops = data_ops;

struct TypeFunctions {
  std::string_view name;
  void (*generate)(void* target, const ops::FillPlan& plan);
  Comparison (*compare)(const void* actual, const void* expected, std::uint64_t count, std::uint64_t components,
                        const Tolerance& tolerance);
};

template <typename T>
void generate(void* target, const ops::FillPlan& plan) {
  T* const elements = static_cast<T*>(target);
  for (std::uint64_t i = 0; i < plan.count; ++i) elements[i] = ops::fill_element<T>(plan, i);
}

template <typename T>
Comparison compare(const void* actual, const void* expected, std::uint64_t count, std::uint64_t components,
                   const Tolerance& tolerance) {
  const T* const got = static_cast<const T*>(actual);
  const T* const wanted = static_cast<const T*>(expected);
  constexpr std::uint64_t none = ~std::uint64_t{0};
  std::uint64_t last_wrong = none, last_nonfinite = none;  // elements, each of which counts once
  Comparison result;
  for (std::uint64_t i = 0; i < count * components; ++i) {
    const ops::ElementComparison one =
        ops::compare_element<T>(got[i], wanted[i], tolerance.absolute, tolerance.relative, tolerance.allow_nonfinite);
    result.max_absolute = std::max(result.max_absolute, one.error);
    result.max_relative = std::max(result.max_relative, one.relative);
    result.max_share = std::max(result.max_share, one.share);
    result.max_ulp = std::max<std::uint64_t>(result.max_ulp, one.ulp);
    const std::uint64_t element = i / components;
    if (one.nonfinite_expected && std::exchange(last_nonfinite, element) != element) ++result.nonfinite_expected;
    if (!one.mismatch || std::exchange(last_wrong, element) == element || result.mismatches++ > 0) continue;
    result.first = i;
    result.actual_at_first = ops::Element<T>::to_double(got[i]);
    result.expected_at_first = ops::Element<T>::to_double(wanted[i]);
  }
  return result;
}

template <typename T>
constexpr TypeFunctions typed(std::string_view name) {
  return {name, generate<T>, compare<T>};
}

// A poisoned byte is not a valid bool, so elements of bool are compared as bytes.
constexpr std::array element_types{TypeFunctions{"bool", generate<bool>, compare<unsigned char>},
                                   typed<signed char>("int8"),
                                   typed<short>("int16"),
                                   typed<int>("int32"),
                                   typed<long long>("int64"),
                                   typed<unsigned char>("uint8"),
                                   typed<unsigned short>("uint16"),
                                   typed<unsigned>("uint32"),
                                   typed<unsigned long long>("uint64"),
                                   typed<float>("float"),
                                   typed<double>("double"),
                                   typed<ops::Half>("half"),
                                   typed<ops::Bfloat16>("bfloat16")};

const TypeFunctions& element_of(const TypeInfo& type) {
  for (const TypeFunctions& entry : element_types)
    if (entry.name == type.element) return entry;
  throw Error("no data of type " + std::string(type.name) + " on the host device");
}

InspectionFinding found_by(const CompareElements& what) {
  const TypeInfo& info = type_named(what.type);
  InspectionFinding found;
  found.comparison = element_of(info).compare(what.actual, what.expected, what.count, info.components, what.tolerance);
  return found;
}

InspectionFinding found_by(const CountDifferences& what) {
  if (what.bytes == 0 || std::memcmp(what.a, what.b, what.bytes) == 0) return {};  // the usual case
  const auto* const x = static_cast<const unsigned char*>(what.a);
  const auto* const y = static_cast<const unsigned char*>(what.b);
  InspectionFinding found;
  for (std::size_t i = 0; i < what.bytes; ++i) found.count += x[i] != y[i];
  return found;
}

InspectionFinding found_by(const CountOtherBytes& what) {
  const auto* const data = static_cast<const unsigned char*>(what.memory);
  InspectionFinding found;
  for (std::size_t i = 0; i < what.bytes; ++i)
    if (data[i] != static_cast<unsigned char>(what.value) && found.count++ == 0) found.first = i;
  return found;
}

InspectionFinding found_by(const Checksum& what) {
  const auto* const data = static_cast<const unsigned char*>(what.memory);
  InspectionFinding found;
  for (std::size_t i = 0; i < what.bytes; i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, data + i, std::min(sizeof word, what.bytes - i));
    found.sum += ops::checksum_word(word, i / sizeof word);
  }
  return found;
}

}  // namespace

void generate_on_host(void* target, std::string_view type, std::uint64_t count, const FillValues& fill,
                      std::uint64_t seed) {
  const TypeInfo& info = type_named(type);
  ops::FillPlan plan{};
  plan.kind = static_cast<int>(fill.kind);
  plan.full_range = fill.full_range;
  plan.a = fill.a;
  plan.b = fill.b;
  plan.integer_a = fill.integer_a;
  plan.integer_b = fill.integer_b;
  plan.seed = seed;
  plan.count = count * info.components;
  std::vector<std::uint64_t> thresholds;
  if (fill.kind == FillKind::zipf) thresholds = zipf_thresholds(fill.a, fill.integer_b);
  plan.thresholds = reinterpret_cast<const ops::u64*>(thresholds.data());
  element_of(info).generate(target, plan);
}

InspectionFinding inspect_on_host(const Inspection& inspection) {
  return std::visit([](const auto& what) { return found_by(what); }, inspection);
}

std::vector<InspectionFinding> HostData::inspect(std::span<const Inspection> inspections) {
  std::vector<InspectionFinding> found;
  for (const Inspection& one : inspections) found.push_back(inspect_on_host(one));
  return found;
}

void HostData::fence(void* array, std::size_t bytes, std::size_t below, std::size_t above) {
  fence_off({Fence::Around::array, "", array, bytes, below, above});
}

void HostData::unfence(const void* array) noexcept { remove_fence(array); }

}  // namespace attune
