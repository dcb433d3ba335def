// Compiler: turns source into images, for a device or without one.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/image.hpp"

namespace attune {

// Needs no device: `cuda` compiles on machines without a driver. Thread-safe.
class Compiler {
 public:
  virtual ~Compiler() = default;
  // Returns one outcome per request, in order. A failed compile is an outcome, too; throws Error only when the compiler
  // itself is missing or broken. Requests of one call may share one run of the compiler. A failed request never fails
  // its neighbours.
  virtual std::vector<CompileOutcome> compile(std::span<const ImageRequest> requests) = 0;
  // Returns the best number of requests for one call: 1 for NVRTC, a dozen for the host's C++ compiler.
  virtual std::size_t preferred_batch() const noexcept = 0;
  // Returns "NVRTC 13.0" or "g++ 12.2.0". Throws Error when there is none.
  virtual std::string toolchain() = 0;
  // Returns the architecture of the code that it makes for a request's architecture: the same, or "compute_90" when it
  // makes PTX. Throws Error when there is no compiler, or none for that architecture.
  virtual std::string target(const std::string& architecture) { return architecture; }
  // Ends compiles under way, as far as possible; their outcomes then mean nothing.
  virtual void abandon() noexcept {}
  // Returns whether compiling disturbs timing on the device (the host device: same cores).
  virtual bool disturbs_timing() const noexcept = 0;
};

// What a compiler does with heavy headers, such as CUB's. `parse`: reads them at each compile; for applications, which
// compile a source once or twice. `precompile`: keeps them precompiled, for the many configurations of a session.
// Precompiled headers take 85 to 180 MB of disk, and compiles that use them wait for each other. The host device always
// parses.
enum class HeavyHeaders { parse, precompile };

// Returns the compiler for a device name or an architecture, without a device: "host", "sm_90", "cuda:0".
std::shared_ptr<Compiler> make_compiler(std::string_view architecture, HeavyHeaders headers = HeavyHeaders::parse);

}  // namespace attune
