// CompileProcesses: a Compiler whose compiles run in worker processes: one that hangs, crashes or eats the machine's
// memory costs one image. As many workers as threads call compile() at once; they live on, so that what a compiler
// keeps (precompiled headers) is kept. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "device/device.hpp"
#include "worker/transport.hpp"

namespace attune {

class CompileProcesses final : public Compiler {
 public:
  using Start = std::function<std::unique_ptr<Transport>()>;
  // Opens one worker, to ask what it compiles with. Throws Error when the compiler is missing.
  explicit CompileProcesses(Start start);

  // A request that kills its worker twice is an outcome: compile_timeout or compile_crash. Throws Error when what
  // compiled before fails too: the environment is at fault, and no request is.
  std::vector<CompileOutcome> compile(std::span<const ImageRequest> requests) override;
  std::size_t preferred_batch() const noexcept override { return opened_.preferred_batch; }
  std::string toolchain() override { return opened_.toolchain; }
  bool disturbs_timing() const noexcept override { return opened_.disturbs_timing; }
  void abandon() noexcept override;
  int started() const;

 private:
  // A worker out of the idle ones, or a new one; goes back at the end.
  class Lease {
   public:
    explicit Lease(CompileProcesses& owner);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Transport& worker() const noexcept { return *worker_; }
    // Whether its compile was abandoned: a death is of no interest then.
    bool abandoned() const;

   private:
    CompileProcesses& owner_;
    std::unique_ptr<Transport> worker_;
    std::uint64_t epoch_ = 0;
  };
  Heard ask(Transport& worker, std::span<const ImageRequest> requests, int attempt);
  CompileOutcome compile_alone(const Lease& lease, const ImageRequest& request, int deaths);
  void check_environment(Transport& worker, const Heard& death);
  void learn(std::span<const ImageRequest> requests, const std::vector<CompileOutcome>& outcomes);
  double deadline(std::size_t images) const;

  const Start start_;
  const std::optional<double> limit_;  // the user's, for one image
  CompilerOpened opened_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Transport>> idle_;
  std::vector<Transport*> busy_;
  std::uint64_t epoch_ = 0;             // counts calls of abandon()
  std::vector<double> seconds_;         // that images took, for the deadline
  std::optional<ImageRequest> anchor_;  // one that is known to compile
  int started_ = 0;
};

}  // namespace attune
