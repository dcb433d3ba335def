// SingleFlight: makes the value of each key once and keeps it. Calls for a key whose value is being made wait for it;
// different keys are made in parallel. If a maker throws, all waiting calls throw its exception, and the next call
// tries again. Any thread.
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace attune {

template <typename Key, typename Value, typename Hash = std::hash<Key>, typename Equal = std::equal_to<Key>>
class SingleFlight {
 public:
  // Returns the value of a key. Where there is none, make() makes it.
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

  // Returns the value of a key if it is made already.
  std::optional<Value> find(const Key& key) {
    std::shared_future<Value> value;
    {
      const std::lock_guard lock(mutex_);
      const auto place = values_.find(key);
      if (place == values_.end()) return std::nullopt;
      value = place->second;
    }
    if (!is_made(value)) return std::nullopt;
    return value.get();
  }

  // Forgets the value of a key, so that the next get() makes it again.
  void forget(const Key& key) {
    const std::lock_guard lock(mutex_);
    values_.erase(key);
  }

  // Calls visit(key, value) for each value that is made.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, value] : values_)
      if (is_made(value)) visit(key, value.get());
  }

  // Forgets each value that is made and for which forgets(value) holds.
  template <typename Forgets>
  void forget_if(const Forgets& forgets) {
    const std::lock_guard lock(mutex_);
    std::erase_if(values_, [&](const auto& one) { return is_made(one.second) && forgets(one.second.get()); });
  }

  // Forgets all values. A value that is being made still reaches the calls that wait for it.
  void clear() {
    const std::lock_guard lock(mutex_);
    values_.clear();
  }

 private:
  static bool is_made(const std::shared_future<Value>& value) {
    return value.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  mutable std::mutex mutex_;
  std::unordered_map<Key, std::shared_future<Value>, Hash, Equal> values_;
};

}  // namespace attune
