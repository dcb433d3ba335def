// PlanRequest: a kernel and a problem, as the key of a hash table. A PlanRequestView finds an entry without making a
// key.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "attune/bindings.hpp"

namespace attune {

struct PlanRequest {
  std::string kernel;
  Problem problem;
};

struct PlanRequestView {
  PlanRequestView(std::string_view name, const Problem& asked) : kernel(name), problem(asked) {}
  PlanRequestView(const PlanRequest& request) : kernel(request.kernel), problem(request.problem) {}
  std::string_view kernel;
  const Problem& problem;
};

struct PlanRequestHash {
  using is_transparent = void;
  std::size_t operator()(PlanRequestView request) const noexcept {
    std::size_t hash = std::hash<std::string_view>{}(request.kernel);
    for (const Binding& binding : request.problem) {
      hash = mix(hash, std::hash<std::string_view>{}(binding.name));
      hash = mix(hash, hash_of(binding.value));
    }
    return hash;
  }

 private:
  static std::size_t mix(std::size_t seed, std::size_t hash) noexcept {
    return (seed ^ hash) * 0x9E3779B97F4A7C15u + (seed >> 29);  // the golden ratio's bits: odd, evenly spread
  }
  static std::size_t hash_of(const Value& value) noexcept {
    if (value.is_integer()) return static_cast<std::size_t>(value.integer());
    if (value.is_name()) return std::hash<std::string_view>{}(value.name());
    return value.is_real() ? std::hash<double>{}(value.real()) : std::size_t{value.boolean()};
  }
};

struct PlanRequestEqual {
  using is_transparent = void;
  bool operator()(PlanRequestView a, PlanRequestView b) const noexcept {
    return a.kernel == b.kernel && a.problem == b.problem;
  }
};

}  // namespace attune
