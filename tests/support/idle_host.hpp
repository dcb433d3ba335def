// An idle device in the place of the host device: a Dispatcher compiles, loads, caches and launches on it, and nothing
// runs. For programs that do not link the host device.
#pragma once

#include "device/host_hook.hpp"
#include "support/idle_device.hpp"

namespace attune::test {

class IdleCompiler final : public Compiler {
 public:
  std::vector<CompileOutcome> compile(std::span<const ImageRequest> requests) override {
    std::vector<CompileOutcome> outcomes;
    for (const ImageRequest& request : requests) {
      Image image;
      image.architecture = request.architecture;
      image.toolchain = toolchain();
      for (const std::string& entry : request.expressions) image.functions.push_back({entry, "symbol", {}});
      image.code = std::make_shared<const std::vector<std::byte>>(64);
      image.knows_files = true;
      outcomes.emplace_back().image = std::move(image);
    }
    return outcomes;
  }
  std::size_t preferred_batch() const noexcept override { return 1; }
  std::string toolchain() override { return "idle 1.0"; }
  bool disturbs_timing() const noexcept override { return false; }
};

class IdleHost final : public IdleDevice {
 public:
  IdleHost() { info_.kind = "host"; }
  const DeviceInfo& info() const noexcept override { return info_; }
  std::shared_ptr<Compiler> compiler() override { return compiler_; }
  LoadOutcome load(const Image&) override { return {{}, std::make_shared<IdleModule>()}; }

 private:
  DeviceInfo info_;
  std::shared_ptr<Compiler> compiler_ = std::make_shared<IdleCompiler>();
};

// Makes IdleHost the device `host` of this program.
inline void use_idle_host() {
  set_host_device({[]() -> std::unique_ptr<Device> { return std::make_unique<IdleHost>(); },
                   []() -> std::shared_ptr<Compiler> { return std::make_shared<IdleCompiler>(); },
                   [] { return std::string("idle"); }});
}

}  // namespace attune::test
