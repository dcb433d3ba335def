// For tests of the host device: kernels as text, compiled, loaded and launched for real.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/host/host_device.hpp"

namespace attune::test {

// Device memory that holds elements of T, freed with it.
template <typename T>
class Array {
 public:
  Array(Device& device, std::vector<T> values)
      : device_(device), count_(values.size()), data_(device.allocate(count_ * sizeof(T))) {
    device_.copy_in(data_, values.data(), count_ * sizeof(T), nullptr);
  }
  Array(Device& device, std::size_t count, T value = T()) : Array(device, std::vector<T>(count, value)) {}
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { device_.free(data_); }

  void* data() const { return data_; }
  void* parameter() { return &data_; }  // what Operation::parameters takes for a pointer
  std::vector<T> values() const {
    std::vector<T> host(count_);
    device_.copy_out(host.data(), data_, count_ * sizeof(T), nullptr);
    return host;
  }
  T operator[](std::size_t i) const { return values().at(i); }

 private:
  Device& device_;
  std::size_t count_;
  void* data_;
};

class HostTest : public testing::Test {
 protected:
  static Device& device() {
    static const std::unique_ptr<Device> device = open_host_device();
    return *device;
  }

  static ImageRequest request(std::string source, std::vector<std::string> expressions) {
    ImageRequest request;
    request.source.name = "kernel.cu";
    request.source.text = std::move(source);
    request.expressions = std::move(expressions);
    request.architecture = "host";
    return request;
  }

  static CompileOutcome compile(const ImageRequest& request) {
    return std::move(device().compiler()->compile({&request, 1}).front());
  }

  static std::shared_ptr<Module> load(const std::string& source, std::vector<std::string> expressions) {
    const CompileOutcome outcome = compile(request(source, std::move(expressions)));
    EXPECT_EQ(outcome.verdict, Verdict::ok) << outcome.log;
    if (!outcome.image) return nullptr;
    LoadOutcome loaded = device().load(*outcome.image);
    EXPECT_TRUE(loaded.status.ok()) << loaded.status.detail;
    return loaded.module;
  }

  static Status launch(Module& module, const std::string& expression, const LaunchShape& shape,
                       std::vector<void*> parameters) {
    Operation operation;
    Status status;
    operation.function = module.function(expression, shape, status);
    if (!status.ok()) return status;
    operation.shape = shape;
    operation.parameters = parameters.data();
    return device().enqueue(operation, nullptr);
  }

  // Compiles, loads and launches one kernel.
  static Status run(const std::string& source, const std::string& expression, const LaunchShape& shape,
                    std::vector<void*> parameters) {
    const std::shared_ptr<Module> module = load(source, {expression});
    if (module == nullptr) return {Verdict::load_error, "not loaded", false};
    return launch(*module, expression, shape, std::move(parameters));
  }

  // The same, for a kernel `run(T* out)`: what it left in `count` elements.
  template <typename T>
  static std::vector<T> output(const std::string& source, const LaunchShape& shape, std::size_t count,
                               T initial = T()) {
    Array<T> out(device(), count, initial);
    const Status status = run(source, "run", shape, {out.parameter()});
    EXPECT_TRUE(status.ok()) << status.detail;
    return out.values();
  }
};

inline LaunchShape shape(std::uint32_t blocks, std::uint32_t threads, std::uint64_t shared_bytes = 0) {
  return {{blocks, 1, 1}, {threads, 1, 1}, shared_bytes};
}

}  // namespace attune::test
