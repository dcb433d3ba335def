#include "faults/faulty_compiler.hpp"

#include <string>

#include "faults/fault_log.hpp"
#include "faults/fault_script.hpp"

namespace attune::test {
namespace {

std::string text_of(const ImageRequest& request) {
  std::string text;
  for (const std::string& expression : request.expressions) text += expression + ";";
  std::erase(text, ' ');
  return text;
}

class FaultyCompiler final : public Compiler {
 public:
  FaultyCompiler(std::shared_ptr<Compiler> compiler, const std::string& script, std::shared_ptr<const int> attempt)
      : compiler_(std::move(compiler)),
        script_(script),
        attempt_(std::move(attempt)),
        worker_(FaultLog(script + ".log").count("worker compile")) {}

  std::vector<CompileOutcome> compile(std::span<const ImageRequest> requests) override {
    for (const ImageRequest& request : requests)
      if (const std::optional<Fault> fault = fault_of(request)) strike(*fault);
    std::vector<CompileOutcome> outcomes = compiler_->compile(requests);
    for (std::size_t i = 0; i < requests.size(); ++i)
      if (const std::optional<Fault> fault = fault_of(requests[i])) spoil(outcomes[i], *fault);
    return outcomes;
  }
  std::string target(const std::string& architecture) override { return compiler_->target(architecture); }
  std::size_t preferred_batch() const noexcept override { return compiler_->preferred_batch(); }
  std::string toolchain() override { return compiler_->toolchain(); }
  bool disturbs_timing() const noexcept override { return compiler_->disturbs_timing(); }

 private:
  std::optional<Fault> fault_of(const ImageRequest& request) const {
    return script_.find(Phase::compile, text_of(request), *attempt_, worker_);
  }
  static void spoil(CompileOutcome& outcome, const Fault& fault) {
    if (fault.kind == "empty" && outcome.image) outcome.image->code = std::make_shared<const std::vector<std::byte>>();
    if (fault.kind != "fail" && fault.kind != "log") return;
    outcome.verdict = Verdict::compile_error;
    outcome.image.reset();
    outcome.log = "error: the first line\n" + std::string(static_cast<std::size_t>(fault.argument * 1048576), 'e');
  }

  std::shared_ptr<Compiler> compiler_;
  const FaultScript script_;
  const std::shared_ptr<const int> attempt_;
  const int worker_;
};

}  // namespace

std::shared_ptr<Compiler> make_faulty_compiler(std::shared_ptr<Compiler> compiler, const std::string& script,
                                               std::shared_ptr<const int> attempt) {
  return std::make_shared<FaultyCompiler>(std::move(compiler), script, std::move(attempt));
}

}  // namespace attune::test
