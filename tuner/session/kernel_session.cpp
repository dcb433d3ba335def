#include "session/kernel_session.hpp"

#include "subject/kernel_subject.hpp"

namespace attune {

SessionResult run_session(const KernelRequest& request, Pool& pool, WisdomStore& store, ImageCache* images,
                          Observer& observer, const std::atomic<int>& stop) {
  const KernelSubject subject(request.spec, request.problem, pool.device().info);
  return run_session(request, subject, pool, store, images, observer, stop);
}

SessionResult run_session(const KernelRequest& request, Device& device, WisdomStore& store, ImageCache* images,
                          Observer& observer, const std::atomic<int>& stop) {
  LocalWorkers workers(device);
  Pool pool(workers);
  return run_session(request, pool, store, images, observer, stop);
}

}  // namespace attune
