// Workers: where a session's compiles and trials run: in processes of their own, or in this one. One thread; the compiler
// that it gives is thread-safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "worker/direct_transport.hpp"

namespace attune {

class Workers {
 public:
  virtual ~Workers() = default;
  // The one device worker. It may hold a problem of an earlier session, which a new one replaces.
  virtual Transport& device() = 0;
  // Throws Error when there is no compiler.
  virtual std::shared_ptr<Compiler> compiler() = 0;
};

// In this process: what a kernel does to it is done to the session.
class LocalWorkers final : public Workers {
 public:
  // The device must outlive it.
  explicit LocalWorkers(Device& device) : device_(device), transport_(device) {}
  Transport& device() override { return transport_; }
  std::shared_ptr<Compiler> compiler() override { return device_.compiler(); }

 private:
  Device& device_;
  DirectTransport transport_;
};

// In processes: `executable worker device ...` and `executable worker compile ...`, with `arguments` behind, which name
// the device. The compile workers are begun when the compiler is first asked for.
std::unique_ptr<Workers> process_workers(const std::string& executable, const std::vector<std::string>& arguments,
                                         const std::string& device_name);

}  // namespace attune
