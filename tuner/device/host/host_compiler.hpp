// HostCompiler: compiles kernels to shared objects with the machine's C++ compiler. Thread-safe. docs/host_device.md.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/process_deadline.hpp"
#include "base/user_limits.hpp"
#include "device/device.hpp"
#include "device/host/host_compiler_tool.hpp"

namespace attune {

class HostCompiler final : public Compiler {
 public:
  // A compiler that takes longer than its limit is stopped, with all its children. `user_seconds`: the limit for one
  // image. Without it, a run of the compiler has default_compile_limit_seconds; no instantiation takes a tenth of that.
  explicit HostCompiler(std::optional<double> user_seconds = compile_limit_seconds()) : user_seconds_(user_seconds) {}

  std::vector<CompileOutcome> compile(std::span<const ImageRequest> requests) override;
  // With more instantiations, a run shares the cost of reading the source among more of them; with fewer, there are
  // runs for both cores.
  std::size_t preferred_batch() const noexcept override { return 12; }
  std::string toolchain() override;
  bool disturbs_timing() const noexcept override { return true; }

 private:
  const HostTool& tool();  // throws Error when there is none
  std::vector<CompileOutcome> compile_together(std::span<const ImageRequest* const> requests);

  TimeLimit limit(std::size_t images) const;

  const std::optional<double> user_seconds_;
  std::mutex mutex_;
  std::optional<HostTool> tool_;
};

// Returns a text that differs if HostCompiler adds other texts or options to a request. $ATTUNE_HOST_CXXFLAGS and the
// variables that name include folders are part of it. It runs no compiler. Thread-safe.
std::string host_additions();

// Returns the architecture name of the images that the host device of this process can load.
std::string host_image_architecture();

}  // namespace attune
