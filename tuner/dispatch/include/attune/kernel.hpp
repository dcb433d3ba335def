// Kernel: launches a kernel of a Dispatcher for sizes that vary. Each launch finds the plan for its problem, without a
// lock once the problem is known. Dispatcher::kernel() makes it; the Dispatcher must outlive it. Cheap to copy. Any
// thread may use it.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "attune/plan.hpp"
#include "attune/policy.hpp"
#include "attune/stream_handle.hpp"

namespace attune {

class KernelEntries;

// One value of a problem, given by its name or by its place. It refers to the caller's texts without copying them: make
// and use it within one call.
struct ProblemValue {
  std::string_view name;  // "": the next size or integer; for a text, the next choice, then the next type
  bool is_text = false;
  std::int64_t integer = 0;
  std::string_view text = {};

  template <std::integral T>
  ProblemValue(T value) : integer(static_cast<std::int64_t>(value)) {}
  ProblemValue(const char* value) : is_text(true), text(value) {}
  ProblemValue(std::string_view value) : is_text(true), text(value) {}
  template <std::integral T>
  ProblemValue(std::string_view of, T value) : name(of), integer(static_cast<std::int64_t>(value)) {}
  ProblemValue(std::string_view of, std::string_view value) : name(of), is_text(true), text(value) {}
};

class Kernel {
 public:
  // Launches for the problem that `values` and `arguments` describe: reduce.launch(stream, {n, "Op::sum"}, out, in, n).
  // Sizes and integers come from `values`, or from integer arguments of the same name. Choices come from `values`.
  // Types come from the element types of pointers, or from `values` where the pointers are void*. There are no
  // defaults. The first launch of a problem finds, loads or compiles its plan, as the policy says; later launches look
  // it up. `arguments` are those of Plan::launch(). Throws UsageError, with nothing launched, for a value that is
  // missing, unknown or contradicts another. Throws NotPrepared as the policy says, and where compiling is needed on a
  // stream that is being captured. Throws what Dispatcher::plan() and Plan::launch() throw.
  template <typename... Arguments>
  void launch(StreamHandle stream, std::initializer_list<ProblemValue> values, const Arguments&... arguments) const {
    const std::array<PlanArgument, sizeof...(Arguments)> list{plan_argument(arguments)...};
    launch_arguments(stream, std::span(values.begin(), values.size()), list);
  }
  void launch_arguments(StreamHandle stream, std::span<const ProblemValue> values,
                        std::span<const PlanArgument> arguments) const;

  const std::string& name() const noexcept;

 private:
  friend class Dispatcher;
  Kernel(KernelEntries& entries, Policy policy) : entries_(&entries), policy_(policy) {}
  KernelEntries* entries_;
  Policy policy_;
};

}  // namespace attune
