// ProblemKey: a problem of one kernel as at most eight numbers, made of a launch's values and arguments without
// allocating.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attune/kernel.hpp"
#include "attune/kernel_spec.hpp"

namespace attune {

constexpr std::size_t most_problem_names = 8;

// Sizes and integers as they are; types and choices as their places in the kernel's lists. Unused ones are 0.
using ProblemKey = std::array<std::uint64_t, most_problem_names>;

// How the problem of a kernel is read from a launch. Immutable; any thread.
class KeyRecipe {
 public:
  // Throws UsageError for a kernel with more names than a key holds. `spec` must outlive it.
  explicit KeyRecipe(const KernelSpec& spec);

  // Throws UsageError naming what is missing, unknown or contradicts.
  ProblemKey read(std::span<const ProblemValue> values, std::span<const PlanArgument> arguments) const;
  // Returns how many numbers of a key are used.
  std::size_t size() const noexcept { return names_.size(); }
  // Returns the key of a complete problem, and the problem of a key.
  ProblemKey key_of(const Problem& problem) const;
  Problem problem_of(const ProblemKey& key) const;

 private:
  enum class Form : std::uint8_t { integer, choice, type };
  struct Name {
    std::string_view name;
    Form form = Form::integer;
    const std::vector<std::string>* listed = nullptr;  // types, choices
  };
  // An argument that says what a name is: the scalar of the name, or an array of the type.
  struct Source {
    std::uint16_t place = 0, argument = 0;
  };
  struct Places {
    std::array<std::uint8_t, most_problem_names> places{};
    std::size_t count = 0;
    void add(std::size_t place) { places[count++] = static_cast<std::uint8_t>(place); }
  };
  struct Reading;
  // Returns the number of a text; throws for a value that is of the other form.
  std::uint64_t text_number(const Name& name, const ProblemValue& value) const;
  std::uint64_t type_of(const Name& name, std::string_view type, std::size_t argument) const;
  std::size_t named_place(std::string_view name) const;
  std::size_t place_of(const ProblemValue& value, Reading& reading) const;
  void take(std::size_t place, std::uint64_t number, Reading& reading) const;
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void fail_number(const Name& name, const ProblemValue& value) const;
  [[noreturn]] void fail_twice(const Name& name, std::uint64_t one, std::uint64_t other) const;
  [[noreturn]] void fail_missing(unsigned known) const;

  const KernelSpec& spec_;
  std::vector<Name> names_;
  // The places that values without a name have, in order: integers, and of texts the choices before the types.
  Places integers_, texts_;
  std::vector<Source> sources_;  // by place
};

}  // namespace attune
