// KernelSpec: a kernel file, read; or the same built in C++ as an aggregate. It holds the source, [problem],
// [parameters], the steps and the check. A plain value: fill it in, then treat it as read-only. Format:
// docs/kernel_files.md.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attune/bindings.hpp"
#include "attune/expression.hpp"
#include "attune/parameter.hpp"
#include "attune/source_text.hpp"

namespace attune {

enum class ProblemKind { size, integer, type, choice };

// One line of [problem].
struct ProblemParameter {
  std::string name;
  ProblemKind kind = ProblemKind::size;               // size: 1 .. 2^62; integer: any int64
  std::vector<std::string> types;                     // kind == type: allowed type names, the first is the default
  std::optional<std::int64_t> default_value;          // sizes and integers
  std::map<std::string, std::int64_t> device_default; // by device kind, before default_value ("host" -> 1024)
  std::vector<std::string> choices = {};              // kind == choice: allowed names, the first is the default
};

enum class StepKind { launch, memset };

// One step of [[launch]], [[prepare]] or [[reference]].
struct Step {
  StepKind kind = StepKind::launch;
  // launch: names inside <...> are substituted as text
  std::string entry;
  std::size_t entry_line = 0;     // of the kernel file, for messages; 0: there is none
  std::vector<Expression> grid;   // 1 to 3 dimensions
  std::vector<Expression> block;  // 1 to 3 dimensions
  std::optional<Expression> shared;  // dynamic shared memory, bytes
  std::vector<std::string> arguments;
  // memset: the whole argument is set to a byte
  std::string memset_argument;
  int memset_value = 0;
  // both
  std::optional<Expression> when;  // false: neither compiled nor launched
};

enum class Role { in, out, inout, scratch, scalar };

enum class FillKind { uniform, normal, constant, iota, permutation };

// How data is made. Values are a function of seed and position: the same bits on every device.
struct Fill {
  FillKind kind = FillKind::uniform;
  double a = -1;                // uniform: lower bound (inclusive); normal: mean; constant: the value
  double b = 1;                 // uniform: upper bound (integers: inclusive); normal: standard deviation
  std::int64_t integer_a = 0;   // the same for integer types, where a double would not be exact
  std::int64_t integer_b = 0;
  bool full_range = false;      // integers without a fill: all values of the type
};

// Tolerances: |actual - expected| <= absolute + relative * |expected|.
struct Check {
  std::optional<Expression> absolute;
  std::optional<Expression> relative;
  std::optional<bool> allow_nonfinite;
};

// One line of [arguments].
struct Argument {
  std::string name;
  std::string type;  // a type name, or the name of a type of the problem
  Role role = Role::scalar;
  std::optional<Expression> size;   // elements; arrays only
  std::optional<Fill> fill;         // absent: full range for integers, uniform(-1, 1) otherwise
  bool restore = true;              // inout: restored before every sample
  std::optional<Expression> value;  // scalars: computed, the application does not pass it
};

struct CompileOptions {
  std::vector<std::string> options;  // "--maxrregcount={REGISTERS}", "--use_fast_math if FAST"
  bool defines = false;              // parameters as -D
  std::string requires_architecture; // "sm_90a": only there
};

// What of a kernel must be equal for wisdom to apply, as hexadecimal SHA-256. Filled by fingerprints_of().
struct Fingerprints {
  std::string code;      // source with blanked front matter, contents of its headers, fixed options
  std::string contract;  // [problem] [[launch]] [arguments]
  std::string space;     // [parameters] [restrictions]
};

struct Metrics {
  std::optional<Expression> bytes;  // gives GB/s
  std::optional<Expression> flops;  // gives GFLOP/s
};

struct KernelSpec {
  std::string name;     // [A-Za-z_][A-Za-z0-9_]*, at most 128 characters
  std::string summary;
  SourceText source;
  std::string folder;  // absolute: of the kernel file; relative -I options count from here. "": there is no file
  std::vector<ProblemParameter> problem;
  std::vector<Parameter> parameters;
  std::vector<Expression> rules;
  std::vector<Step> prepare;
  std::vector<Step> launch;
  std::vector<Step> reference;
  std::vector<Argument> arguments;  // in the order in which an application passes them
  Check check;
  std::map<std::string, Check> argument_check;  // [check.NAME]
  Metrics metrics;
  CompileOptions compile;
  Fingerprints fingerprints;
  // When set, exactly these configurations are legal, without rules or limits. Parameters may be narrowed: a
  // configuration then counts only if they still list its values. The `replay` device sets it.
  std::shared_ptr<const std::vector<Configuration>> listed;

  const Argument* find_argument(std::string_view name) const noexcept;
  const Parameter* find_parameter(std::string_view name) const noexcept;
  const ProblemParameter* find_problem(std::string_view name) const noexcept;
  // Returns whether inputs are restored before each launch: then launches cannot follow each other.
  bool restores_inputs() const noexcept;
};

// Fills in the fingerprints of a spec that was built in C++. Throws UsageError unless it passes a kernel file's checks:
// names known and disjoint, expressions over known names, default configuration legal.
KernelSpec complete(KernelSpec spec);

}  // namespace attune
