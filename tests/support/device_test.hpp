// For tests of a device: kernels as text, compiled, loaded and launched for real.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/data_tools.hpp"
#include "device/instruments.hpp"

namespace attune::test {

// Device memory that holds elements of T, freed with it.
template <typename T>
class Array {
 public:
  Array(Device& device, std::vector<T> values) : device_(device), count_(values.size()) {
    data_ = device_.allocate(count_ * sizeof(T));
    write(values);
  }
  Array(Device& device, std::size_t count, T value = T()) : Array(device, std::vector<T>(count, value)) {}
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { device_.free(data_); }

  void* data() const { return data_; }
  void* parameter() { return &data_; }  // what Operation::parameters takes for a pointer
  void write(const std::vector<T>& values) {
    device_.copy_in(data_, values.data(), values.size() * sizeof(T), nullptr);
  }
  std::vector<T> values() const {
    std::vector<T> host(count_);
    device_.copy_out(host.data(), data_, count_ * sizeof(T), nullptr);
    return host;
  }
  T operator[](std::size_t i) const { return values().at(i); }

 private:
  Device& device_;
  const std::size_t count_;
  void* data_ = nullptr;
};

inline LaunchShape shape(std::uint32_t blocks, std::uint32_t threads, std::uint64_t shared_bytes = 0) {
  return {{blocks, 1, 1}, {threads, 1, 1}, shared_bytes};
}

// A launch of an entry with these parameters (pointers to their values, which must outlive it).
inline Operation launch_of(FunctionHandle function, const LaunchShape& shape, std::vector<void*>& parameters) {
  Operation operation;
  operation.function = function;
  operation.shape = shape;
  operation.parameters = parameters.data();
  return operation;
}

inline Operation fill_of_bytes(void* target, std::size_t bytes, int value) {
  Operation fill;
  fill.kind = Operation::Kind::memset;
  fill.target = target;
  fill.bytes = bytes;
  fill.value = value;
  return fill;
}

// A derived class opens the device.
class DeviceTest : public testing::Test {
 protected:
  Device& device() const { return *device_; }
  DeviceInstruments& instruments() const {
    if (!instruments_) instruments_ = open_instruments(*device_);
    return *instruments_;
  }
  DataTools& tools() const {
    if (!tools_) tools_ = open_data_tools(*device_);
    return *tools_;
  }
  bool is_host() const { return device().info().kind == "host"; }

  ImageRequest request(std::string source, std::vector<std::string> expressions) const {
    ImageRequest request;
    request.source = {"kernel.cu", std::move(source), {}};
    request.expressions = std::move(expressions);
    request.architecture = device().info().architecture();
    return request;
  }
  CompileOutcome compile(const ImageRequest& request) const {
    return std::move(device().compiler()->compile({&request, 1}).front());
  }
  // Compiles and loads; fails the test when that does not work.
  std::shared_ptr<Module> load(const ImageRequest& request) const {
    const CompileOutcome outcome = compile(request);
    EXPECT_EQ(outcome.verdict, Verdict::ok) << outcome.log;
    if (!outcome.image) return nullptr;
    LoadOutcome loaded = device().load(*outcome.image);
    EXPECT_TRUE(loaded.status.ok()) << loaded.status.detail;
    return loaded.module;
  }
  std::shared_ptr<Module> load(const std::string& source, std::vector<std::string> expressions) const {
    return load(request(source, std::move(expressions)));
  }
  static FunctionHandle function(Module& module, const std::string& expression, const LaunchShape& shape) {
    Status status;
    const FunctionHandle found = module.function(expression, shape, status);
    EXPECT_TRUE(status.ok()) << status.detail;
    return found;
  }

  // Launches one kernel and waits for its end. Returns the first failure.
  Status launch(Module& module, const std::string& expression, const LaunchShape& shape,
                std::vector<void*> parameters) const {
    Status status;
    const FunctionHandle found = module.function(expression, shape, status);
    if (status.ok()) status = device().enqueue(launch_of(found, shape, parameters), nullptr);
    return status.ok() ? device().synchronize(nullptr) : status;
  }
  // Compiles, loads and launches one kernel.
  Status run(const std::string& source, const std::string& expression, const LaunchShape& shape,
             std::vector<void*> parameters) const {
    const std::shared_ptr<Module> module = load(source, {expression});
    if (module == nullptr) return {Verdict::load_error, "not loaded", false};
    return launch(*module, expression, shape, std::move(parameters));
  }
  // The same for a kernel `run(T* out)`; returns what it left in `count` elements.
  template <typename T>
  std::vector<T> output(const std::string& source, const LaunchShape& shape, std::size_t count, T initial = T()) const {
    Array<T> out(device(), count, initial);
    const Status status = run(source, "run", shape, {out.parameter()});
    EXPECT_TRUE(status.ok()) << status.detail;
    return out.values();
  }

  std::unique_ptr<Device> device_;

 private:
  mutable std::unique_ptr<DeviceInstruments> instruments_;
  mutable std::unique_ptr<DataTools> tools_;
};

}  // namespace attune::test
