// Reaper: a thread that releases the objects that graphs held. The driver reports the end of a graph on a thread that
// must not call the driver, but releasing the last reference to a module or to memory calls it. Thread-safe.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace attune::cuda {

// An object to release. It is made beforehand, so that nothing is allocated at the end of a graph.
struct ReaperItem {
  explicit ReaperItem(std::shared_ptr<const void> of) : object(std::move(of)) {}
  std::shared_ptr<const void> object;
  std::unique_ptr<ReaperItem> next;
};

class Reaper {
 public:
  // Returns the Reaper of the process. It is never destroyed, because graphs may end after everything else.
  static Reaper& of_process();

  Reaper() = default;
  Reaper(const Reaper&) = delete;
  Reaper& operator=(const Reaper&) = delete;

  // Starts the thread, unless there is one. It must be called before take(). Throws std::system_error.
  void start();
  // Has the thread release the object, without waiting for it. After end() it keeps the object.
  void take(std::unique_ptr<ReaperItem> parting) noexcept;
  // Ends the thread. Waits for the object that is being released, but not for ever: at the end of a process its device
  // may still be busy. exit() calls it for the Reaper of the process.
  void end() noexcept;

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::unique_ptr<ReaperItem> first_;
  ReaperItem* last_ = nullptr;
  std::thread thread_;
  bool is_ending_ = false, has_ended_ = false;
};

}  // namespace attune::cuda
