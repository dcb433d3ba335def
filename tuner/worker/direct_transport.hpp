// DirectTransport: a device worker without a process of its own: for programs that trust their kernels, and tests. What
// a kernel does to the process is done to this one.
#pragma once

#include <chrono>

#include "worker/device_server.hpp"
#include "worker/transport.hpp"

namespace attune {

class DirectTransport final : public Transport {
 public:
  // The device must outlive it.
  explicit DirectTransport(Device& device) : server_(device) {}
  Heard ask(const Request& request, double) override {
    const auto begin = std::chrono::steady_clock::now();
    Heard heard{Heard::End::replied, server_.answer(request), {}};
    heard.reply.worked_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return heard;
  }
  // Nothing can be started anew here: a device that is beyond use stays so.
  void restart() override {}
  bool isolates() const noexcept override { return false; }
  int started() const noexcept override { return 1; }

 private:
  DeviceServer server_;
};

}  // namespace attune
