// FaultScript: what is to go wrong, and when. One rule a line: PATTERN PHASE WHEN FAULT [ARGUMENT].
//   PATTERN  words of a configuration joined by `&` (BLOCK=64&ITEMS=2), or for `compile` a part of the expressions
//            without spaces; `*`; `reference`: launches before any trial; `bench-2`: a word of all of these on the
//            second of several benches; 5%: by lot, always the same for an attempt; the reference is spared
//   PHASE    compile, load, launch, synchronize, sample; state: what the device tells of itself
//   WHEN     the attempt's number; `*`; w>2: in every worker of its kind after the second; n25-30, n>25: while so many
//            samples of the configuration were taken
//   FAULT    hang, spin, stubborn (SIGTERM does not end it), exit CODE, signal NUMBER, half (of a message, then the
//   end),
//            garbage (instead of a message), eat (memory without end), sleep MS; of a device: error CUDA_NUMBER, later
//            CUDA_NUMBER (told by the next synchronisation), vanish, drop PERCENT (its clock, which it tells, with the
//            reason), slow PERCENT (the same, untold), user PID (another process on it), energy WATTS, time
//            NANOSECONDS, leak MIB, alone MS (sleeps, and logs `together` when another worker does at that moment),
//            far (attune's own data are found changed after the job); of a compiler: fail, log MIB, empty
// The first rule that applies counts. Values; throws std::runtime_error for what it cannot read.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::test {

enum class Phase { compile, load, launch, synchronize, sample, state };

struct Fault {
  std::string kind;
  double argument = 0;
  int number() const { return static_cast<int>(argument); }
};

class FaultScript {
 public:
  FaultScript() = default;
  explicit FaultScript(const std::filesystem::path& file);

  // What is to go wrong with `text`, of a configuration or expressions, in the `worker`th worker, after `samples` of
  // it.
  std::optional<Fault> find(Phase phase, const std::string& text, int attempt, int worker, int samples = 0) const;
  bool has(std::string_view kind) const;

 private:
  struct Rule {
    std::string pattern;
    Phase phase = Phase::load;
    std::optional<int> attempt;
    int after_worker = 0;
    int least_samples = 0, most_samples = 1 << 30;
    double share = 1;  // by lot
    Fault fault;
  };
  static Rule parse(const std::string& line);
  bool applies(const Rule& rule, std::size_t number, const std::string& text, int attempt) const;
  std::vector<Rule> rules_;
};

// The faults that need neither device nor compiler: all but sleep do not return. Others do nothing.
void strike(const Fault& fault);

}  // namespace attune::test
