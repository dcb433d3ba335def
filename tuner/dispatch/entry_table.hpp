// EntryTable: a hash table of entries by problem key. It is insert-only, with open addressing, so readers take no lock
// and write nothing that is shared. Any thread. A slot also holds the address of the memory that a launch of its entry
// reads, so that a look-up prefetches that memory together with the entry.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "dispatch/problem_key.hpp"

namespace attune {

template <typename Entry>
class EntryTable {
 public:
  // `numbers`: how many numbers of a key are used; the others are 0.
  explicit EntryTable(std::size_t numbers = most_problem_names) : numbers_(numbers) {
    tables_.push_back(std::make_unique<Slots>(first_slots));
    present_.store(tables_.back().get(), std::memory_order_release);
  }

  // Returns the entry of a key, or null.
  Entry* find(const ProblemKey& key) const noexcept {
    const Slots& slots = *present_.load(std::memory_order_acquire);
    const std::uint64_t hashed = hash(key);
    for (std::size_t i = hashed & slots.mask;; i = (i + 1) & slots.mask) {
      const Slot& slot = slots.entries[i];
      Entry* const entry = slot.entry.load(std::memory_order_acquire);
      if (entry == nullptr) return entry;
      const Ahead ahead{slot.ahead.load(std::memory_order_relaxed)};
      if (!ahead.is_of(hashed)) continue;
      prefetch(entry, entry_lines);
      prefetch(ahead.address(), ahead.lines());
      if (is_equal(entry->key, key)) return entry;
    }
  }

  // Stores in the entry's slot where the entry's memory lies at present, which the caller keeps alive meanwhile. If
  // that memory is freed later, a prefetch of it only costs time.
  void fetch_ahead(const Entry& entry) noexcept {
    const Slots& slots = *present_.load(std::memory_order_acquire);
    const std::uint64_t hashed = hash(entry.key);
    for (std::size_t i = hashed & slots.mask;; i = (i + 1) & slots.mask) {
      Slot& slot = slots.entries[i];
      const Entry* const found = slot.entry.load(std::memory_order_acquire);
      if (found == &entry) slot.ahead.store(Ahead(hashed, entry.memory()).bits, std::memory_order_relaxed);
      if (found == nullptr || found == &entry) return;
    }
  }

  // Returns the entry of a key, which is made where it is absent.
  Entry& insert(const ProblemKey& key) {
    const std::lock_guard lock(mutex_);
    if (Entry* const present = find(key)) return *present;
    if (2 * (entries_.size() + 1) > present_.load(std::memory_order_relaxed)->mask) grow();
    Entry& entry = entries_.emplace_back(key);
    place(*tables_.back(), entry, Ahead(hash(key), {}));
    return entry;
  }

  template <typename Visit>
  void for_each(const Visit& visit) {
    const std::lock_guard lock(mutex_);
    for (Entry& entry : entries_) visit(entry);
  }
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return entries_.size();
  }

 private:
  static constexpr std::size_t first_slots = 64;  // a power of two, as all numbers of slots
  static constexpr std::size_t line = 64;         // of the cache
  static constexpr std::size_t entry_lines = 2;   // the key, and what a launch reads behind it

  // One word: 16 bits of the hash, 42 bits of the address of a line, and in 6 bits the number of lines, 63 at most.
  struct Ahead {
    std::uint64_t bits;
    explicit Ahead(std::uint64_t of) noexcept : bits(of) {}
    Ahead(std::uint64_t hashed, std::span<const std::byte> memory) noexcept : bits(hashed & tag_bits) {
      const auto first = reinterpret_cast<std::uintptr_t>(memory.data()) / line;
      const std::uint64_t count = std::min<std::uint64_t>((memory.size() + line - 1) / line, line - 1);
      bits |= (first * line & address_bits) | count;
    }
    bool is_of(std::uint64_t hashed) const noexcept { return ((bits ^ hashed) & tag_bits) == 0; }
    const std::byte* address() const noexcept { return reinterpret_cast<const std::byte*>(bits & address_bits); }
    std::size_t lines() const noexcept { return bits & (line - 1); }
    static constexpr std::uint64_t tag_bits = std::uint64_t{0xffff} << 48, address_bits = ~tag_bits & ~(line - 1);
  };
  struct Slot {
    std::atomic<Entry*> entry{nullptr};
    std::atomic<std::uint64_t> ahead{0};  // an Ahead, which is stored before the entry
  };
  struct Slots {
    explicit Slots(std::size_t count) : mask(count - 1), entries(std::make_unique<Slot[]>(count)) {}
    std::size_t mask;
    std::unique_ptr<Slot[]> entries;
  };

  static void prefetch(const void* memory, std::size_t lines) noexcept {
    for (std::size_t i = 0; i < lines; ++i) __builtin_prefetch(static_cast<const std::byte*>(memory) + i * line);
  }

  // Compares without a branch for each number.
  bool is_equal(const ProblemKey& a, const ProblemKey& b) const noexcept {
    std::uint64_t differences = 0;
    for (std::size_t i = 0; i < numbers_; ++i) differences |= a[i] ^ b[i];
    return differences == 0;
  }

  // The products are independent of each other, so the processor overlaps them. Their sum is mixed as in the finalizer
  // of MurmurHash3.
  std::uint64_t hash(const ProblemKey& key) const noexcept {
    std::uint64_t sum = 0, factor = 0xff51afd7ed558ccdu;
    for (std::size_t i = 0; i < numbers_; ++i) {
      sum += (key[i] ^ key[i] >> 32) * factor;
      factor = factor * 0x9e3779b97f4a7c15u | 1;
    }
    sum = (sum ^ sum >> 33) * 0xc4ceb9fe1a85ec53u;
    return sum ^ sum >> 33;
  }

  void place(Slots& slots, Entry& entry, Ahead ahead) const {
    std::size_t i = hash(entry.key) & slots.mask;
    while (slots.entries[i].entry.load(std::memory_order_relaxed) != nullptr) i = (i + 1) & slots.mask;
    slots.entries[i].ahead.store(ahead.bits, std::memory_order_relaxed);
    slots.entries[i].entry.store(&entry, std::memory_order_release);
  }

  // Copies what the slots say of the entries' memory, which only who publishes an entry's memory may look at.
  void grow() {
    const Slots& former = *tables_.back();
    tables_.push_back(std::make_unique<Slots>(2 * (former.mask + 1)));
    for (std::size_t i = 0; i <= former.mask; ++i) {
      Entry* const entry = former.entries[i].entry.load(std::memory_order_relaxed);
      const Ahead ahead(former.entries[i].ahead.load(std::memory_order_relaxed));
      if (entry != nullptr) place(*tables_.back(), *entry, ahead);
    }
    present_.store(tables_.back().get(), std::memory_order_release);
  }

  const std::size_t numbers_;
  mutable std::mutex mutex_;  // writers hold it
  std::deque<Entry> entries_;
  std::vector<std::unique_ptr<Slots>> tables_;  // earlier ones stay: a reader may be in them
  std::atomic<Slots*> present_{nullptr};
};

}  // namespace attune
