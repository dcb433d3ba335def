// A device that takes every image without running it, and whose compiler is the test's. With it a test sees which
// images a dispatcher keeps and compiles, on machines without a driver.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/device.hpp"

namespace attune::test {

class LoadsAnything final : public Device {
 public:
  explicit LoadsAnything(std::shared_ptr<Compiler> compiler, DeviceInfo info = {})
      : compiler_(std::move(compiler)), info_(std::move(info)) {}

  std::vector<std::string> loaded;  // the architectures of the images, in order
  int compilers_asked_for = 0;

  std::shared_ptr<Compiler> compiler() override {
    ++compilers_asked_for;
    return compiler_;
  }
  LoadOutcome load(const Image& image) override {
    struct Loaded final : Module {
      FunctionHandle function(std::string_view, const LaunchShape&, Status&) override { return this; }
      Variable variable(std::string_view, Status&) override { return {}; }
    };
    loaded.push_back(image.architecture);
    return {{}, std::make_shared<Loaded>()};
  }

  const DeviceInfo& info() const noexcept override { return info_; }
  void* allocate(std::size_t) override { return nullptr; }
  void free(void*) noexcept override {}
  std::uint64_t free_memory() override { return 0; }
  void copy_in(void*, const void*, std::size_t, StreamHandle) override {}
  void copy_out(void*, const void*, std::size_t, StreamHandle) override {}
  StreamHandle make_stream() override { return nullptr; }
  void destroy_stream(StreamHandle) noexcept override {}
  Status synchronize(StreamHandle) override { return {}; }
  Status enqueue(const Operation&, StreamHandle) override { return {}; }

 private:
  const std::shared_ptr<Compiler> compiler_;
  const DeviceInfo info_;
};

}  // namespace attune::test
