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
  // A compiler that takes longer than its limit is stopped, with all its children. `user_seconds`: for one image; a run
  // of the compiler has default_compile_limit_seconds else, of which no instantiation takes a tenth.
  explicit HostCompiler(std::optional<double> user_seconds = compile_limit_seconds()) : user_seconds_(user_seconds) {}

  std::vector<CompileOutcome> compile(std::span<const ImageRequest> requests) override;
  // More instantiations in one run share the cost of reading the source; fewer keep both cores busy.
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

// Returns a digest of the texts and options that it adds to a request, $ATTUNE_HOST_CXXFLAGS among them. It runs no
// compiler. Thread-safe.
std::string host_additions();

// Returns the architecture name of images that this executor can load.
std::string host_image_architecture();

}  // namespace attune
