#include "device/replay/replay_kernel.hpp"

#include <fmt/format.h>

#include <unordered_map>

#include "attune/error.hpp"
#include "device/replay/recording_identity.hpp"
#include "kernel/substitute.hpp"

namespace attune {
namespace {

constexpr std::string_view replay_reference = "replay_reference";  // gives the expected result: takes no time

std::string replay_entry(const Recording& recording) {
  std::string entry = "replay<";
  for (const Parameter& parameter : recording.parameters) {
    if (entry.back() != '<') entry += ", ";
    entry += parameter.name;
  }
  return entry + ">";
}

// The entries with the values of trials: "replay<32, 4>". It looks no names up, because recordings may have thousands
// of parameters.
class ReplayExpressions {
 public:
  explicit ReplayExpressions(const Recording& recording) {
    for (const Parameter& parameter : recording.parameters) {
      auto& texts = texts_.emplace_back();
      for (const Value& value : parameter.values) texts.push_back(source_text(value));
    }
  }
  std::string of(const RecordedTrial& trial) const {
    std::string text = "replay<";
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      if (i > 0) text += ", ";
      text += texts_[i][trial.row[i]];
    }
    return text + ">";
  }

 private:
  std::vector<std::vector<std::string>> texts_;  // by parameter and position
};

class ReplayCompiler final : public Compiler {
 public:
  explicit ReplayCompiler(const Recording& recording) : source_(recording.source) {
    const ReplayExpressions expressions(recording);
    compile_s_.reserve(recording.trials.size());
    for (const RecordedTrial& trial : recording.trials) {
      const auto [found, is_new] = compile_s_.try_emplace(expressions.of(trial), trial.compile_s);
      if (!is_new)
        throw UsageError(fmt::format("{}: the configuration {} and another one are equal in C++: {}; rename a value",
                                     source_, configuration_of(recording, trial).text(), found->first));
    }
  }

  std::vector<CompileOutcome> compile(std::span<const ImageRequest> requests) override {
    std::vector<CompileOutcome> outcomes;
    for (const ImageRequest& request : requests) outcomes.push_back(compile_one(request));
    return outcomes;
  }
  std::size_t preferred_batch() const noexcept override { return 1; }
  std::string toolchain() override { return "replay"; }
  bool disturbs_timing() const noexcept override { return false; }

 private:
  CompileOutcome compile_one(const ImageRequest& request) const {
    CompileOutcome outcome;
    Image image;
    image.architecture = request.architecture;
    image.toolchain = "replay";
    image.code = std::make_shared<const std::vector<std::byte>>();
    for (const std::string& expression : request.expressions) {
      image.functions.push_back({expression, expression, {}});
      const auto found = compile_s_.find(expression);
      if (found != compile_s_.end()) {
        outcome.milliseconds += 1e3 * found->second;
      } else if (expression != replay_reference) {
        outcome.verdict = Verdict::compile_error;
        outcome.log = source_ + " has no row for " + expression;
        return outcome;
      }
    }
    outcome.image = std::move(image);
    return outcome;
  }

  const std::string source_;
  std::unordered_map<std::string, double> compile_s_;  // by the expression of the entry
};

}  // namespace

KernelSpec replay_kernel(const Recording& recording) {
  KernelSpec spec;
  spec.name = recording.kernel;
  spec.summary = "recorded on " + recording.device;
  spec.source.name = recording.source;
  spec.parameters = recording.parameters;
  spec.launch.resize(1);
  spec.launch[0].entry = replay_entry(recording);
  // Without a reference the default configuration would have to be right, and it may have failed.
  spec.reference.resize(1);
  spec.reference[0].entry = std::string(replay_reference);
  std::vector<Configuration> listed;
  listed.reserve(recording.trials.size());
  for (const RecordedTrial& trial : recording.trials) listed.push_back(configuration_of(recording, trial));
  spec.listed = std::make_shared<const std::vector<Configuration>>(std::move(listed));
  spec.fingerprints = fingerprints_of(recording);
  return spec;
}

std::shared_ptr<Compiler> make_replay_compiler(const Recording& recording) {
  return std::make_shared<ReplayCompiler>(recording);
}

}  // namespace attune
