// Compiling ahead, with a compiler that counts what it is asked.
#include "session/image_source.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "attune/error.hpp"

namespace attune {
namespace {

const std::atomic<int> never{0};

class CountingCompiler final : public Compiler {
 public:
  explicit CountingCompiler(std::size_t batch) : batch_(batch) {}
  std::vector<CompileOutcome> compile(std::span<const ImageRequest> requests) override {
    largest_ = std::max<std::size_t>(largest_, requests.size());
    std::vector<CompileOutcome> outcomes;
    for (const ImageRequest& request : requests) {
      ++compiled_;
      if (request.expressions.front() == "missing compiler") throw Error("no compiler");
      CompileOutcome outcome;
      outcome.milliseconds = 5;
      outcome.image = Image{"sm_90", "counting", {{request.expressions.front(), "symbol", {}}}, nullptr};
      outcomes.push_back(outcome);
    }
    return outcomes;
  }
  std::size_t preferred_batch() const noexcept override { return batch_; }
  std::string toolchain() override { return "counting"; }
  bool disturbs_timing() const noexcept override { return false; }

  std::atomic<int> compiled_{0};
  std::atomic<std::size_t> largest_{0};

 private:
  const std::size_t batch_;
};

ImageRequest request_for(const std::string& expression) {
  ImageRequest request;
  request.expressions = {expression};
  request.architecture = "sm_90";
  return request;
}

TEST(ImageSource, GivesEveryTicketTheImageItAskedFor) {
  ImageSource source(std::make_shared<CountingCompiler>(1), 3);
  for (std::uint64_t ticket = 0; ticket < 50; ++ticket) source.ask(ticket, request_for("k" + std::to_string(ticket)));
  EXPECT_EQ(source.outstanding(), 50u);
  std::set<std::uint64_t> given;
  while (source.outstanding() > 0) {
    const CompileResult result = *source.next(never);
    EXPECT_EQ(result.outcome.image.value().functions.front().expression, "k" + std::to_string(result.id));
    given.insert(result.id);
  }
  EXPECT_EQ(given.size(), 50u);
}

TEST(ImageSource, CompilesOnceForConfigurationsThatShareAnImage) {
  const auto compiler = std::make_shared<CountingCompiler>(1);
  ImageSource source(compiler, 2);
  for (std::uint64_t ticket = 0; ticket < 6; ++ticket)
    source.ask(ticket, request_for(ticket % 2 == 0 ? "even" : "odd"));
  int charged = 0;
  while (source.outstanding() > 0) charged += source.next(never)->outcome.milliseconds > 0;
  source.ask(9, request_for("even"));  // later too
  EXPECT_EQ(source.next(never)->id, 9u);
  EXPECT_EQ(compiler->compiled_, 2);
  EXPECT_EQ(charged, 2) << "the time of a compile is counted once";
}

TEST(ImageSource, NeverAsksForMoreThanABatchAtOnce) {
  const auto compiler = std::make_shared<CountingCompiler>(4);
  ImageSource source(compiler, 1);
  for (std::uint64_t ticket = 0; ticket < 40; ++ticket) source.ask(ticket, request_for(std::to_string(ticket)));
  while (source.outstanding() > 0) source.next(never);
  EXPECT_EQ(compiler->compiled_, 40);
  EXPECT_LE(compiler->largest_, 4u);
}

TEST(ImageSource, ForgetsWhatWasCancelled) {
  ImageSource source(std::make_shared<CountingCompiler>(1), 2);
  for (std::uint64_t ticket = 0; ticket < 20; ++ticket) source.ask(ticket, request_for(std::to_string(ticket)));
  source.cancel();
  EXPECT_EQ(source.outstanding(), 0u);
  source.ask(100, request_for("after"));
  EXPECT_EQ(source.next(never)->id, 100u);
}

TEST(ImageSource, PassesOnThatTheCompilerIsBroken) {
  ImageSource source(std::make_shared<CountingCompiler>(1), 1);
  source.ask(1, request_for("missing compiler"));
  EXPECT_THROW(source.next(never), Error);
}

}  // namespace
}  // namespace attune
