// EntryTable: entries by problem key. Insert-only, with open addressing: readers take no lock and write nothing that is
// shared. Any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "dispatch/problem_key.hpp"

namespace attune {

template <typename Entry>
class EntryTable {
 public:
  EntryTable() { publish(first_slots); }

  // Returns the entry of a key, or null.
  Entry* find(const ProblemKey& key) const noexcept {
    const Slots& slots = *present_.load(std::memory_order_acquire);
    for (std::size_t i = hash(key) & slots.mask;; i = (i + 1) & slots.mask) {
      Entry* const entry = slots.entries[i].load(std::memory_order_acquire);
      if (entry == nullptr || entry->key == key) return entry;
    }
  }

  // Returns the entry of a key, made by make(key) where it is absent.
  template <typename Make>
  Entry& insert(const ProblemKey& key, const Make& make) {
    const std::lock_guard lock(mutex_);
    if (Entry* const present = find(key)) return *present;
    if (2 * (entries_.size() + 1) > present_.load(std::memory_order_relaxed)->mask) grow();
    Entry& entry = *entries_.emplace_back(make(key));
    place(*tables_.back(), entry);
    return entry;
  }

  template <typename Visit>
  void for_each(const Visit& visit) const {
    const std::lock_guard lock(mutex_);
    for (const auto& entry : entries_) visit(*entry);
  }

 private:
  static constexpr std::size_t first_slots = 64;  // a power of two, as all numbers of slots
  struct Slots {
    explicit Slots(std::size_t count) : mask(count - 1), entries(count) {}
    std::size_t mask;
    std::vector<std::atomic<Entry*>> entries;
  };

  // Multiplies and folds, as in the finalizer of MurmurHash3.
  static std::size_t hash(const ProblemKey& key) noexcept {
    std::uint64_t sum = 0;
    for (const std::uint64_t number : key) {
      sum = (sum ^ number) * 0xff51afd7ed558ccdu;
      sum ^= sum >> 33;
    }
    return static_cast<std::size_t>(sum);
  }

  static void place(Slots& slots, Entry& entry) {
    std::size_t i = hash(entry.key) & slots.mask;
    while (slots.entries[i].load(std::memory_order_relaxed) != nullptr) i = (i + 1) & slots.mask;
    slots.entries[i].store(&entry, std::memory_order_release);
  }

  void publish(std::size_t count) {
    tables_.push_back(std::make_unique<Slots>(count));
    for (const auto& entry : entries_) place(*tables_.back(), *entry);
    present_.store(tables_.back().get(), std::memory_order_release);
  }
  void grow() { publish(2 * (present_.load(std::memory_order_relaxed)->mask + 1)); }

  mutable std::mutex mutex_;  // of writers
  std::deque<std::unique_ptr<Entry>> entries_;
  std::vector<std::unique_ptr<Slots>> tables_;  // earlier ones stay: a reader may be in them
  std::atomic<Slots*> present_{nullptr};
};

}  // namespace attune
