// ProblemKey: a problem of one kernel as at most eight numbers. KeyRecipe makes it from the values and arguments of a
// launch, without allocating.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attune/kernel.hpp"
#include "attune/kernel_spec.hpp"

namespace attune {

constexpr std::size_t most_problem_names = 8;

// The values of a problem in the order of [problem]. Sizes and integers stand for themselves; types and choices are
// their places in the kernel's lists. Unused numbers are 0. For a kernel with more names, the digits of a digest.
using ProblemKey = std::array<std::uint64_t, most_problem_names>;

// Reads the problem of one kernel from launches and requests. Immutable; any thread.
class KeyRecipe {
 public:
  // `device_kind`: whose defaults requests take. `spec` must outlive it.
  KeyRecipe(const KernelSpec& spec, std::string_view device_kind);

  // Throws UsageError for a kernel with more names than a key holds; read() and problem_of() must not be called then.
  void expect_launches() const;
  // Returns the key of a launch. Throws UsageError that names the value that is missing, unknown or contradicts
  // another.
  ProblemKey read(std::span<const ProblemValue> values, std::span<const PlanArgument> arguments) const;
  // Returns the key of a request, which may leave out defaults. Returns nothing for a request that cannot be read at
  // once: make_problem() says what is wrong with it, if anything is. Allocates nothing.
  std::optional<ProblemKey> find_key(const Problem& given) const;
  // Returns how many numbers of a key are used.
  std::size_t size() const noexcept { return is_wide() ? most_problem_names : names_.size(); }
  // Returns the key of a complete problem.
  ProblemKey key_of(const Problem& problem) const;
  // Returns the problem of a key.
  Problem problem_of(const ProblemKey& key) const;

 private:
  enum class Form : std::uint8_t { integer, choice, type };
  struct Name {
    std::string_view name;
    Form form = Form::integer;
    const std::vector<std::string>* listed = nullptr;  // types, choices
  };
  // An argument that gives the value of a name: the scalar with this name, or an array whose element type has it.
  struct ArgumentSource {
    std::uint16_t place = 0, argument = 0;
  };
  struct NamePlaces {
    std::array<std::uint8_t, most_problem_names> places{};
    std::size_t count = 0;
    void add(std::size_t place) { places[count++] = static_cast<std::uint8_t>(place); }
  };
  struct Reading;
  bool is_wide() const noexcept { return spec_.problem.size() > most_problem_names; }
  std::optional<std::uint64_t> number_of(const Name& name, const Value& value) const;
  // Returns the number of a choice or type. Throws UsageError for a value that is not in the list, or of another form.
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
  // The places that values without a name take, in order. Integers take those of `integers_`; texts take those of
  // `texts_`, in which the choices come before the types.
  NamePlaces integers_, texts_;
  std::vector<ArgumentSource> sources_;  // by place
  ProblemKey defaults_{};
  unsigned with_default_ = 0;  // a bit for each name
};

}  // namespace attune
