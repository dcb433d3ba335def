// What applications read of a record: the columns of the view application_record_1, in the order of its hash. The list
// is frozen: another one is another view (docs/formats/wisdom.md).
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/digest.hpp"
#include "core/field_list.hpp"
#include "core/record.hpp"

namespace attune {

// Calls visit(column, member) for each; bindings are text.
void application_fields(auto&& visit, Is<Record> auto& x, auto& problem, auto& configuration) {
  visit("uuid", x.uuid);
  visit("kernel", x.key.kernel);
  visit("code", x.key.code);
  visit("contract", x.key.contract);
  visit("device_class", x.key.device_class);
  visit("device_name", x.device_name);
  visit("compute_capability", x.compute_capability);
  visit("multiprocessors", x.multiprocessors);
  visit("problem", problem);
  visit("regime", x.key.regime);
  visit("objective", x.key.objective);
  visit("configuration", configuration);
  visit("median_ns", x.median_ns);
  visit("default_ns", x.default_ns);
  visit("speedup", x.speedup);
  visit("effort", x.effort);
  visit("partial", x.partial);
  visit("unstable", x.unstable);
  visit("trials", x.trials);
  visit("toolchain", x.toolchain);
  visit("driver", x.driver);
  visit("attune_version", x.attune_version);
  visit("protocol", x.protocol);
  visit("made_ms", x.made_ms);
}

// Returns the SHA-256 over the columns as text. Reals: the shortest decimal that reads back equal.
inline std::string application_hash(const Record& record, const std::string& problem,
                                    const std::string& configuration) {
  Digest digest;
  const auto add = [&]<typename T>(const char*, const T& value) {
    if constexpr (std::same_as<T, std::string>)
      digest.add(std::string_view(value));
    else if constexpr (std::same_as<T, bool>)
      digest.add(std::string_view(value ? "1" : "0"));
    else if constexpr (std::is_enum_v<T>)
      digest.add(std::string_view(fmt::format("{}", static_cast<int>(value))));
    else
      digest.add(std::string_view(fmt::format("{}", value)));
  };
  application_fields(add, record, problem, configuration);
  return digest.hex();
}

}  // namespace attune
