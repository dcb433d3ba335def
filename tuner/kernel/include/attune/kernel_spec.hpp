// KernelSpec: a kernel file that was read, or the same built in C++ as an aggregate. It holds the source, [problem],
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
  ProblemKind kind = ProblemKind::size;                // size: 1 .. 2^62; integer: any int64
  std::vector<std::string> types;                      // kind == type: allowed type names, the first is the default
  std::optional<std::int64_t> default_value;           // sizes and integers
  std::map<std::string, std::int64_t> device_default;  // by device kind ("host" -> 1024), instead of default_value
  std::vector<std::string> choices = {};               // kind == choice: allowed names, the first is the default
};

enum class StepKind { launch, memset };

// One step of [[launch]], [[verify]], [[prepare]] or [[reference]].
struct Step {
  StepKind kind = StepKind::launch;
  // launch: names inside <...> are substituted as text
  std::string entry;
  std::size_t entry_line = 0;                  // of the kernel file, for messages; 0: there is none
  std::vector<Expression> grid;                // 1 to 3 dimensions
  std::vector<Expression> block;               // 1 to 3 dimensions
  std::optional<Expression> shared;            // dynamic shared memory, bytes
  std::vector<Expression> cluster = {};        // [[launch]]: 1 to 3 dimensions in blocks; empty: no clusters
  std::optional<Expression> overlap = {};      // [[launch]]: true: it may begin while the preceding launch runs
  std::optional<Expression> cooperative = {};  // [[launch]]: true: all blocks run at the same time
  std::vector<std::string> arguments;
  // memset: every byte of the argument is set to memset_value
  std::string memset_argument;
  int memset_value = 0;
  // both
  std::optional<Expression> when;  // where false, the step is neither compiled nor launched
};

enum class Role { in, out, inout, scratch, scalar, map };

constexpr bool is_array(Role role) noexcept { return role != Role::scalar && role != Role::map; }

enum class FillKind { uniform, normal, constant, iota, permutation, zipf, seed };

// How data is made. Values are a function of seed and position: the same bits on every device.
struct Fill {
  FillKind kind = FillKind::uniform;
  // Over problem names. uniform: lower and upper bound, both inclusive for integers; normal: mean, standard deviation;
  // constant: the value; zipf: exponent, count. The other kinds have none.
  std::vector<Expression> numbers;
};

// Tolerances: |actual - expected| <= absolute + relative * |expected|.
struct Check {
  std::optional<Expression> absolute;
  std::optional<Expression> relative;
  std::optional<Expression> differing;  // how many elements may exceed the tolerance
  std::optional<bool> allow_nonfinite;
};

// How a tensor map sees an array of the kernel: in boxes, each of which is moved as a whole. Dimension 0 is the
// innermost one.
struct TiledView {
  std::string array;                  // the name of an array argument
  std::vector<Expression> shape;      // elements, 1 to 5 dimensions
  std::vector<Expression> strides;    // elements, of dimensions 1 and up; empty: dense
  std::vector<Expression> box;        // elements of each dimension
  std::optional<Expression> swizzle;  // bytes: 0 (absent), 32, 64 or 128
  std::optional<Expression> when;     // where false, the map is neither encoded nor checked; the kernel gets zeros
};

// One line of [arguments].
struct Argument {
  std::string name;
  std::string type;  // a type name, or the name of a type in [problem]
  Role role = Role::scalar;
  std::optional<Expression> size;   // elements; arrays only
  std::optional<Fill> fill;         // absent: full range for integers, uniform(-1, 1) otherwise
  bool restore = true;              // inout: restored before every sample
  std::optional<Expression> value;  // scalars: computed, the application does not pass it
  bool is_mapped = false;           // in, out, inout: the array lies in host memory, which the device accesses
  std::optional<Expression> mapped_where = {};  // when set, is_mapped holds only for problems for which this is true
  // The variable of the code that holds the array: "d_filter", "filter<T>". An `in` array is copied into it and is not
  // a kernel parameter; a `scratch` array is the variable itself.
  std::string symbol = {};
  bool by_value = false;                // in: the kernel gets its elements as a parameter
  std::optional<TiledView> tiles = {};  // role map: attune encodes it, the application does not pass it
};

// What the source gets as macros.
enum class Defines {
  none,
  all,        // problem values, and parameters where a configuration is compiled
  parameters  // parameters alone; prepare and reference steps get their first values
};

struct CompileOptions {
  std::vector<std::string> options;  // "--maxrregcount={REGISTERS}", "--use_fast_math if FAST"
  Defines defines = Defines::none;
  // True: macros are options too (-DNAME=VALUE), which every header sees. False: they are lines alone, behind the
  // #include lines with which the source begins (kernel/macro_lines.hpp).
  bool defines_before = false;
  // True: what the file has beside device code, such as main(), is not compiled. Such a file runs on CUDA devices only.
  bool ignores_host_code = false;
  std::string requires_architecture;         // "sm_90a": the only architecture on which the kernel runs
  std::optional<Expression> requires_where;  // when set, only configurations for which it is true require that
};

// Fingerprints of a kernel's parts, as hexadecimal SHA-256. A record applies only where code and contract are equal.
// Filled by fingerprints_of().
struct Fingerprints {
  std::string code;      // source with blanked front matter, contents of its headers, fixed options
  std::string contract;  // [problem] [[launch]] [arguments]
  std::string space;     // [parameters] [restrictions]
};

// The work of one launch of the kernel: expressions over the problem, and over parameters where the work depends on
// them.
struct Metrics {
  std::optional<Expression> bytes;  // gives GB/s
  std::optional<Expression> flops;  // gives GFLOP/s
  std::optional<Expression> items;  // gives G<unit>/s
  std::string unit;                 // of items: "points", "interactions"
};

// One step of a ladder: a configuration with a name.
struct LadderStep {
  std::string name;
  std::string configuration;  // "VARIANT=0 BLOCK=128"; parameters that it leaves out have their defaults
  std::string published;      // what its source reports, as text: "8.054 ms"
};

// Configurations that are compared in the order of a talk that presented them. No fingerprint covers ladders.
struct Ladder {
  std::string name;
  std::string source;                 // of the published figures
  std::vector<std::string> problems;  // "n=2**22 T=int32"; empty: the defaults
  std::vector<LadderStep> steps;      // empty: the default configuration
  std::string sweep;                  // "offset=0..32": every value of a size or integer of the problem; "": none
};

struct KernelSpec {
  std::string name;  // [A-Za-z_][A-Za-z0-9_]*, at most 128 characters
  std::string summary;
  SourceText source;
  std::string folder;  // absolute, of the kernel file; relative -I options start here. "": there is no file
  std::vector<ProblemParameter> problem;
  std::vector<Parameter> parameters;
  std::vector<Expression> rules;
  std::vector<Step> prepare;
  std::vector<Step> launch;
  std::vector<Step> verify;  // run after the launch in each check, untimed: make its result comparable
  std::vector<Step> reference;
  std::vector<Argument> arguments;  // in the order in which an application passes them
  Check check;
  std::map<std::string, Check> argument_check;  // [check.NAME]
  Metrics metrics;
  CompileOptions compile;
  // Over problem, parameters and device: true for the configurations with which equal inputs give equal bits in every
  // launch on one device. If absent, the kernel promises that for no configuration.
  std::optional<Expression> deterministic;
  bool may_be_empty = false;  // sizes may be 0 ([kernel] empty = "nothing"); then a plan launches nothing
  // Set when this spec was narrowed: the kernel with all values of its parameters. Its default configuration stays the
  // default.
  std::shared_ptr<const KernelSpec> whole;
  std::vector<Ladder> ladders;
  Fingerprints fingerprints;
  // When set, exactly these configurations are legal, and rules and limits do not apply. If parameters were narrowed, a
  // configuration is legal only if they still list its values. The `replay` device sets it.
  std::shared_ptr<const std::vector<Configuration>> listed;

  const Argument* find_argument(std::string_view name) const noexcept;
  const Parameter* find_parameter(std::string_view name) const noexcept;
  const ProblemParameter* find_problem(std::string_view name) const noexcept;
  // Returns whether inputs are restored before each launch, so that launches cannot follow each other directly.
  bool restores_inputs() const noexcept;
};

// Fills in the fingerprints of a spec that was built in C++. Throws UsageError unless it passes a kernel file's checks:
// names known and disjoint, expressions over known names, default configuration legal.
KernelSpec complete(KernelSpec spec);

}  // namespace attune
