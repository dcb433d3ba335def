// Sessions for kernel files.
#pragma once

#include "attune/kernel_spec.hpp"
#include "session/session.hpp"

namespace attune {

struct KernelRequest : SessionRequest {
  KernelSpec spec;  // may be narrowed
  Problem problem;  // with a value of every parameter of the problem
};

// Runs a session for the kernel, on the pool's device.
SessionResult run_session(const KernelRequest& request, Pool& pool, WisdomStore& store, ImageCache* images,
                          Observer& observer, const std::atomic<int>& stop);
// Runs it in this process, on `device`.
SessionResult run_session(const KernelRequest& request, Device& device, WisdomStore& store, ImageCache* images,
                          Observer& observer, const std::atomic<int>& stop);

}  // namespace attune
