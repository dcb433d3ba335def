// Reaper: one thread of the process that lets go of what graphs held. The driver tells of a graph's end on a thread
// that must not call the driver, and the last holder of a module or of memory does. Any thread.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace attune::cuda {

// An object to let go of. Made beforehand, so that nothing is allocated at the end of a graph.
struct Parting {
  explicit Parting(std::shared_ptr<const void> of) : object(std::move(of)) {}
  std::shared_ptr<const void> object;
  std::unique_ptr<Parting> next;
};

class Reaper {
 public:
  // Is never destroyed: graphs may end after everything else.
  static Reaper& of_process();

  Reaper() = default;
  Reaper(const Reaper&) = delete;
  Reaper& operator=(const Reaper&) = delete;

  // Makes the thread, unless there is one. It must be called before take(). Throws std::system_error.
  void start();
  // Lets go of the object on the thread, and waits for nothing. After end() it keeps the object.
  void take(std::unique_ptr<Parting> parting) noexcept;
  // Ends the thread. Waits for the object in hand, but not for ever: at the end of a process its device may still be
  // busy. The process' Reaper does so at exit().
  void end() noexcept;

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::unique_ptr<Parting> first_;
  Parting* last_ = nullptr;
  std::thread thread_;
  bool is_ending_ = false, has_ended_ = false;
};

}  // namespace attune::cuda
