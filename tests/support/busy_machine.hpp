// Makes a machine busy: a process gets only a small share of a processor.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <thread>
#include <vector>

namespace attune::test {

// Computes, and ends its process once that has used this much processor time.
[[noreturn]] inline void compute(double seconds) {
  timespec used{};
  do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  while (static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9 < seconds);
  _exit(0);
}

// A child process that does some work. The destructor kills it.
class Child {
 public:
  explicit Child(const std::function<void()>& work) : number_(fork()) {
    if (number_ == 0) {
      work();
      _exit(0);
    }
  }
  ~Child() {
    if (number_ <= 0) return;
    kill(number_, SIGKILL);
    waitpid(number_, nullptr, 0);
  }
  Child(Child&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Child& operator=(Child&&) = delete;

  pid_t number() const { return number_; }
  bool has_ended() {
    if (number_ > 0 && waitpid(number_, nullptr, WNOHANG) == number_) number_ = -1;
    return number_ < 0;
  }

 private:
  pid_t number_;
};

// The processes that keep all processors busy, as long as this object lives.
class BusyMachine {
 public:
  BusyMachine() {
    const unsigned count = 4 * std::max(1u, std::thread::hardware_concurrency());
    for (unsigned i = 0; i < count; ++i) others_.emplace_back([] { compute(1e6); });
  }

 private:
  std::vector<Child> others_;
};

}  // namespace attune::test
