// Verdict: the outcome of trying a configuration. Stored as an integer, so the numbers never change.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace attune {

enum class Verdict {
  ok = 0,
  restricted = 1,  // not in the search space
  compile_error = 2,
  compile_timeout = 3,
  compile_crash = 4,
  resources = 5,  // compiled or would compile, but cannot launch: shared memory, registers, threads
  load_error = 6,
  launch_error = 7,
  fault = 8,  // illegal access, trap, a barrier not reached by all
  timeout = 9,
  wrong_result = 10,
  guard = 11,  // wrote outside its arguments
  unstable = 12,
  out_of_memory = 13,
  quarantined = 14,
};

std::string_view to_text(Verdict verdict) noexcept;
std::optional<Verdict> verdict_from_text(std::string_view text) noexcept;

// Returns whether the compiler's environment may have caused a verdict: a kill, a lack of memory, a busy machine. Such
// a configuration is tried once more at once, and again by the next session.
constexpr bool may_be_the_environments(Verdict verdict) noexcept {
  return verdict == Verdict::compile_timeout || verdict == Verdict::compile_crash;
}

// The result of an operation of a device, for which the configuration is to blame if it failed. `sticky`: the device
// context is unusable, so that every later operation in it fails too.
struct Status {
  Verdict verdict = Verdict::ok;
  std::string detail;
  bool sticky = false;
  bool ok() const noexcept { return verdict == Verdict::ok; }
};

// Throws BrokenProcess for a sticky failure, else Error.
[[noreturn]] void throw_failed(const Status& status, const std::string& text);

}  // namespace attune
