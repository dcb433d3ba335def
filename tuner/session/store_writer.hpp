// StoreWriter: does the writes of a session on a thread of its own, in order, so that no other thread waits for a disk.
// One thread calls it. That thread uses the store itself only while no write is pending.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "db/wisdom_store.hpp"

namespace attune {

class StoreWriter {
 public:
  using Write = std::function<void(WisdomStore&)>;

  // `store` must outlive it. Throws Error when no thread can be started.
  explicit StoreWriter(WisdomStore& store);
  // Does what is pending.
  ~StoreWriter();
  StoreWriter(const StoreWriter&) = delete;
  StoreWriter& operator=(const StoreWriter&) = delete;

  // Has a write done after those before it. Returns its number, from 1. Throws what an earlier write failed with, once:
  // that write and those behind it are dropped, and their numbers are given again.
  std::uint64_t push(Write write);
  // Waits until this write is durable. Throws the same.
  void wait_for(std::uint64_t number);
  // Waits until nothing is pending. Throws the same.
  void wait_for_all();
  // Throws the same.
  void check();
  // Returns the number of the last write that is durable.
  std::uint64_t done() const;

 private:
  void run();
  void throw_failure();  // with the lock held

  WisdomStore& store_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Write> pending_;  // the first one is under way
  std::uint64_t pushed_ = 0, done_ = 0;
  std::exception_ptr failure_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace attune
