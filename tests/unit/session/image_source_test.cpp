// Compiling ahead, with a compiler that counts what it is asked.
#include "session/image_source.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>

#include "attune/error.hpp"
#include "worker/compile_server.hpp"
#include "worker/direct_transport.hpp"

namespace attune {
namespace {

const std::atomic<int> never{0};

class CountingCompiler final : public Compiler {
 public:
  explicit CountingCompiler(std::size_t batch) : batch_(batch) {}
  std::vector<CompileOutcome> compile(std::span<const ImageRequest> requests) override {
    for (std::size_t seen = largest_;
         seen < requests.size() && !largest_.compare_exchange_weak(seen, requests.size());) {
    }
    std::vector<CompileOutcome> outcomes;
    for (const ImageRequest& request : requests) {
      ++compiled_;
      const std::string expression = request.expressions.empty() ? "" : request.expressions.front();
      if (expression == "missing compiler") throw Error("no compiler");
      CompileOutcome outcome;
      outcome.milliseconds = 5;
      outcome.image = Image{"sm_90", "counting", {{expression, "symbol", {}}}, nullptr, {}};
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

// Compile workers of this process that share one compiler.
class CountingWorkers final : public Workers {
 public:
  explicit CountingWorkers(std::size_t batch) : compiler(std::make_shared<CountingCompiler>(batch)) {}
  std::unique_ptr<Transport> device_worker(LaneId) override {
    return std::make_unique<DirectTransport>([](const Job&) { return Reply{.answer = DeviceFacts{}}; });
  }
  std::unique_ptr<Transport> compile_worker(const DeviceInfo&) override {
    const auto server = std::make_shared<CompileServer>(compiler);
    return std::make_unique<DirectTransport>([server](const Job& job) { return server->answer(job); });
  }
  const std::shared_ptr<CountingCompiler> compiler;
};

class ImageSourceTest : public testing::Test {
 protected:
  void open(std::size_t batch, unsigned compilers) {
    workers_ = std::make_unique<CountingWorkers>(batch);
    pool_ = std::make_unique<Pool>(*workers_);
    pool_->set_compilers(compilers);
    source_ = std::make_unique<ImageSource>(*pool_);
  }
  ~ImageSourceTest() override {
    source_.reset();
    pool_.reset();
  }
  void ask(InstanceId id, const std::string& expression, std::vector<Macro> macros = {}) {
    auto instance = std::make_shared<Instance>();
    instance->id = id;
    ImageRequest& image = instance->image.emplace();
    image.expressions = {expression};
    image.architecture = "sm_90";
    image.macros = std::move(macros);
    instance->image_key = image.key("");
    source_->ask(std::move(instance));
  }
  CompiledInstance next() {
    while (!source_->is_ready()) {
      std::optional<Result> result = pool_->next(never, 20);
      if (!result || !source_->arrive(*result)) throw std::runtime_error("no image came");
    }
    return source_->take();
  }

  std::unique_ptr<CountingWorkers> workers_;
  std::unique_ptr<Pool> pool_;
  std::unique_ptr<ImageSource> source_;
};

TEST_F(ImageSourceTest, GivesEveryInstanceTheImageItAskedFor) {
  open(1, 3);
  for (InstanceId id = 0; id < 50; ++id) ask(id, "k" + std::to_string(id));
  EXPECT_EQ(source_->outstanding(), 50u);
  std::set<InstanceId> given;
  while (source_->outstanding() > 0) {
    const CompiledInstance compiled = next();
    const InstanceId id = compiled.instance->id;
    EXPECT_EQ(compiled.outcome.image.value().functions.front().expression, "k" + std::to_string(id));
    given.insert(id);
  }
  EXPECT_EQ(given.size(), 50u);
}

TEST_F(ImageSourceTest, CompilesOnceForInstancesThatShareAnImage) {
  open(1, 2);
  for (InstanceId id = 0; id < 6; ++id) ask(id, id % 2 == 0 ? "even" : "odd");
  EXPECT_EQ(source_->compiling(), 2u);
  int charged = 0;
  while (source_->outstanding() > 0) charged += next().outcome.milliseconds > 0;
  ask(9, "even");  // later too
  EXPECT_TRUE(source_->is_ready());
  EXPECT_EQ(next().instance->id, 9u);
  EXPECT_EQ(workers_->compiler->compiled_, 2);
  EXPECT_EQ(charged, 2) << "the time of a compile is counted once";
}

TEST_F(ImageSourceTest, ConfigurationsThatDifferInAMacroShareNoImage) {
  open(1, 2);
  for (InstanceId id = 0; id < 4; ++id) ask(id, "k", {{"N", std::to_string(id % 2)}});
  while (source_->outstanding() > 0) next();
  EXPECT_EQ(workers_->compiler->compiled_, 2);
}

TEST_F(ImageSourceTest, NeverAsksForMoreThanABatchAtOnce) {
  open(4, 1);
  for (InstanceId id = 0; id < 40; ++id) ask(id, std::to_string(id));
  while (source_->outstanding() > 0) next();
  EXPECT_EQ(workers_->compiler->compiled_, 40);
  EXPECT_LE(workers_->compiler->largest_, 4u);
}

TEST_F(ImageSourceTest, ForgetsWhatWasCancelled) {
  open(1, 2);
  for (InstanceId id = 0; id < 20; ++id) ask(id, std::to_string(id));
  source_->cancel();
  EXPECT_EQ(source_->outstanding(), 0u);
  EXPECT_FALSE(source_->is_waiting());
  ask(100, "after");
  EXPECT_EQ(next().instance->id, 100u);
  EXPECT_FALSE(pool_->next(never, 0.05)) << "nothing of what was cancelled comes late";
}

TEST_F(ImageSourceTest, ResultsOfOthersAreNotItsOwn) {
  open(1, 1);
  Result result = pool_->wait(pool_->submit(ImageRequest{}));
  EXPECT_FALSE(source_->arrive(result));
}

TEST_F(ImageSourceTest, PassesOnThatTheCompilerIsBroken) {
  open(1, 1);
  ask(1, "missing compiler");
  EXPECT_THROW(next(), Error);
}

}  // namespace
}  // namespace attune
