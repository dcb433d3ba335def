// Tunable: work of a program's own that attune tunes, such as a pipeline of copies or a call into a library
// (docs/callables.md; CMake: attune::tuner). Plain values.
#pragma once

#include <chrono>
#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "attune/bindings.hpp"
#include "attune/device_info.hpp"
#include "attune/parameter.hpp"

namespace attune {

// What is called with a configuration, with all that it works on.
class Work {
 public:
  using Time = std::chrono::duration<double, std::nano>;
  using Check = std::function<std::string(const Configuration&)>;

  // `run` does the work once, until it is complete. It returns nothing, and is timed by this machine's clock; or it
  // returns the time that it took by a clock of its own, as a duration of <chrono>. `check`, if set, is called after
  // some of the runs and returns what is wrong with the result, or "". What either throws makes the configuration fail.
  template <typename Run>
  requires(!std::same_as<Run, Work> && std::invocable<Run&, const Configuration&>) Work(Run run, Check check = {})
      : run_(timed(std::move(run))), check_(std::move(check)) {}

  Time run(const Configuration& configuration) const { return run_(configuration); }
  std::string check(const Configuration& configuration) const { return check_ ? check_(configuration) : std::string(); }

 private:
  using Timed = std::function<Time(const Configuration&)>;

  template <typename Run>
  static Timed timed(Run run) {
    if constexpr (std::is_void_v<std::invoke_result_t<Run&, const Configuration&>>)
      return [run = std::move(run)](const Configuration& configuration) mutable {
        const auto begin = std::chrono::steady_clock::now();
        run(configuration);
        return Time(std::chrono::steady_clock::now() - begin);
      };
    else
      return Timed(std::move(run));
  }

  Timed run_;
  Check check_;
};

struct Tunable {
  std::string name;     // [A-Za-z_][A-Za-z0-9_]*, at most 128 characters
  std::string version;  // any text; change it with the work, because what is known of another version does not serve
  // The names of a problem, with the values that a request may leave out. An integer above 0 is a size: what was found
  // for a near size may serve.
  Problem problem;
  std::vector<Parameter> parameters;
  std::vector<std::string> rules = {};  // over the problem, the parameters and the device (docs/expressions.md)
  // Makes the work for a problem, with its data. It is called where the work runs, once for a session and each worker.
  std::function<Work(const Problem&)> make;
  // Returns the device on which the work runs, such as gpu.device_info(). Not set: the processors of this machine.
  std::function<DeviceInfo()> device = {};
};

}  // namespace attune
