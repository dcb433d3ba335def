// How a peer is written (README.md): a Work for one problem, and a function that makes it. What cannot be done throws
// Declined; what fails throws Failed. Neither crosses the border of the library.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "attune/peer.hpp"

namespace attune::peers {

struct Declined : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct Failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void check(cudaError_t result, const char* what) {
  if (result != cudaSuccess) throw Failed(std::string(what) + ": " + cudaGetErrorString(result));
}

// The problem and the arguments of a call, by name. Throws Declined for a name that the kernel has not.
class Call {
 public:
  explicit Call(const PeerCall& call) : call_(call) {}

  std::string_view text(std::string_view name) const {
    for (std::size_t i = 0; i < call_.value_count; ++i)
      if (name == call_.values[i].name) return call_.values[i].text;
    throw Declined("the problem has no `" + std::string(name) + "`");
  }
  // "" where the problem has none: a kernel may get it later.
  std::string_view text_if_any(std::string_view name) const {
    for (std::size_t i = 0; i < call_.value_count; ++i)
      if (name == call_.values[i].name) return call_.values[i].text;
    return "";
  }
  long long size(std::string_view name) const { return std::atoll(std::string(text(name)).c_str()); }

  // Null while the work is made.
  template <typename T>
  T* array(std::string_view name) const {
    return static_cast<T*>(argument(name).data);
  }
  unsigned long long count(std::string_view name) const { return argument(name).count; }
  std::string_view type(std::string_view name) const { return argument(name).type; }
  template <typename T>
  T scalar(std::string_view name) const {
    T value;
    std::memcpy(&value, argument(name).data, sizeof value);
    return value;
  }

 private:
  const PeerArgument& argument(std::string_view name) const {
    for (std::size_t i = 0; i < call_.argument_count; ++i)
      if (name == call_.arguments[i].name) return call_.arguments[i];
    throw Declined("the kernel has no argument `" + std::string(name) + "`");
  }

  const PeerCall& call_;
};

// What does one problem, again and again, on arrays that may change.
class Work {
 public:
  virtual ~Work() = default;
  virtual void enqueue(const Call& call, cudaStream_t stream) = 0;
  // Untimed: brings the result into the kernel's form.
  virtual void finish(const Call&, cudaStream_t) {}
};

// Device memory that lives as long as the work.
class TemporaryMemory {
 public:
  explicit TemporaryMemory(std::size_t bytes) : bytes_(bytes) {
    check(cudaMalloc(&data_, bytes == 0 ? 1 : bytes), "temporary memory");
  }
  TemporaryMemory(const TemporaryMemory&) = delete;
  TemporaryMemory& operator=(const TemporaryMemory&) = delete;
  ~TemporaryMemory() { cudaFree(data_); }
  void* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  void* data_ = nullptr;
  const std::size_t bytes_;
};

// Returns what is said of the present exception. Valid until the next one.
inline const char* present_exception() {
  static thread_local std::string text;
  try {
    throw;
  } catch (const std::exception& error) {
    text = error.what();
  } catch (...) {
    text = "an unknown exception";
  }
  return text.c_str();
}

// A function of a Work, as the interface calls it.
template <void (Work::*function)(const Call&, cudaStream_t)>
const char* run(void* state, const PeerCall& call, void* stream) {
  try {
    (static_cast<Work*>(state)->*function)(Call(call), static_cast<cudaStream_t>(stream));
    return nullptr;
  } catch (...) {
    return present_exception();
  }
}

// The peer `name` of a kernel, whose work `make` makes.
template <std::unique_ptr<Work> (*make)(const Call&)>
Peer peer(const char* kernel, const char* name) {
  Peer made{};
  made.kernel = kernel;
  made.name = name;
  made.make = [](const PeerCall& call, const char** why_not) -> void* {
    try {
      return make(Call(call)).release();
    } catch (...) {
      *why_not = present_exception();
      return nullptr;
    }
  };
  made.enqueue = run<&Work::enqueue>;
  made.finish = run<&Work::finish>;
  made.destroy = [](void* state) { delete static_cast<Work*>(state); };
  return made;
}

}  // namespace attune::peers
