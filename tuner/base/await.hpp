// await(): waits for a condition, without a limit of time.
#pragma once

#include <pthread.h>

#include <condition_variable>
#include <mutex>

namespace attune {

// Waits until done(), which is asked with `lock` held, is true. std::condition_variable::wait() would do, but GCC 12
// made it a new symbol of libstdc++ (GLIBCXX_3.4.30): programs that call it do not start on systems of GCC 11.
template <typename Done>
void await(std::condition_variable& changed, std::unique_lock<std::mutex>& lock, const Done& done) {
  while (!done()) pthread_cond_wait(changed.native_handle(), lock.mutex()->native_handle());
}

}  // namespace attune
