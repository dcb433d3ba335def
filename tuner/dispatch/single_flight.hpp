// SingleFlight: makes the value of a key once; further calls meanwhile wait for it. Different keys are made in
// parallel. Values are kept. If a maker throws, all waiting calls throw its exception, and the next call tries again.
// Any thread.
#pragma once

#include <functional>
#include <future>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace attune {

template <typename Key, typename Value, typename Hash = std::hash<Key>, typename Equal = std::equal_to<Key>>
class SingleFlight {
 public:
  template <typename Make>
  Value get(const Key& key, Make&& make) {
    std::promise<Value> promise;
    std::shared_future<Value> value;
    {
      const std::lock_guard lock(mutex_);
      const auto [place, is_first] = values_.try_emplace(key);
      if (is_first) {
        place->second = promise.get_future().share();
      } else {
        value = place->second;
      }
    }
    if (value.valid()) return value.get();
    try {
      Value made = std::forward<Make>(make)();
      promise.set_value(made);
      return made;
    } catch (...) {
      forget(key);  // before the waiters wake, so that they do not find the failure again
      promise.set_exception(std::current_exception());
      throw;
    }
  }

  // Forgets it: the next call makes it anew.
  void forget(const Key& key) {
    const std::lock_guard lock(mutex_);
    values_.erase(key);
  }

 private:
  std::mutex mutex_;
  std::unordered_map<Key, std::shared_future<Value>, Hash, Equal> values_;
};

}  // namespace attune
