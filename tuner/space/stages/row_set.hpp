// RowSet: numbers rows of equal length, from 0 in the order of first appearance. Equal rows have equal numbers. Rows
// are stored one after another. One thread.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace attune::space {

class RowSet {
 public:
  // `length`: 32-bit words per row; it may be 0.
  explicit RowSet(std::size_t length) : length_(length), slots_(16, none) {}

  std::uint32_t number_of(const std::uint32_t* row) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = hash(row) & mask;; at = (at + 1) & mask) {
      const std::uint32_t number = slots_[at];
      if (number == none) {
        slots_[at] = static_cast<std::uint32_t>(count_);
        words_.insert(words_.end(), row, row + length_);
        return static_cast<std::uint32_t>(count_++);
      }
      if (same(row, words_.data() + number * length_)) return number;
    }
  }

  // Numbers `count` consecutive rows, in order, and calls `met_new(i)` for each row i that is new. It first prefetches
  // the slots and stored rows for all of them, because a large set lies outside the caches.
  template <typename Call>
  void numbers_of(const std::uint32_t* rows, std::size_t count, std::uint32_t* numbers, const Call& met_new) {
    for (std::size_t i = 0; i < count; ++i) __builtin_prefetch(&slots_[hash(rows + i * length_) & (slots_.size() - 1)]);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t number = slots_[hash(rows + i * length_) & (slots_.size() - 1)];
      if (number != none) __builtin_prefetch(words_.data() + number * length_);
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t known = count_;
      numbers[i] = number_of(rows + i * length_);
      if (count_ > known) met_new(i);
    }
  }

  std::size_t size() const { return count_; }
  std::size_t length() const { return length_; }
  const std::uint32_t* row(std::size_t number) const { return words_.data() + number * length_; }
  std::vector<std::uint32_t> take() { return std::move(words_); }
  std::size_t bytes() const { return (words_.capacity() + slots_.capacity()) * sizeof(std::uint32_t); }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  // Rows are short: a call costs more than the comparison.
  bool same(const std::uint32_t* a, const std::uint32_t* b) const {
    std::uint32_t differ = 0;
    for (std::size_t i = 0; i < length_; ++i) differ |= a[i] ^ b[i];
    return differ == 0;
  }

  std::size_t hash(const std::uint32_t* row) const {
    // Multiply and fold; the constants are 64 random bits each.
    std::uint64_t state = 0x9e3779b97f4a7c15;
    for (std::size_t i = 0; i < length_; ++i) state = std::rotl((state ^ row[i]) * 0xbf58476d1ce4e5b9, 29);
    state *= 0x94d049bb133111eb;
    return static_cast<std::size_t>(state ^ (state >> 31));
  }

  void grow() {
    std::vector<std::uint32_t> old = std::move(slots_);
    slots_.assign(old.size() * 4, none);
    const std::size_t mask = slots_.size() - 1;
    std::array<std::size_t, 32> homes;
    for (std::size_t first = 0; first < count_; first += homes.size()) {
      const std::size_t some = std::min(homes.size(), count_ - first);
      for (std::size_t i = 0; i < some; ++i) {
        homes[i] = hash(row(first + i)) & mask;
        __builtin_prefetch(&slots_[homes[i]], 1);
      }
      for (std::size_t i = 0; i < some; ++i) {
        std::size_t at = homes[i];
        while (slots_[at] != none) at = (at + 1) & mask;
        slots_[at] = static_cast<std::uint32_t>(first + i);
      }
    }
  }

  std::size_t length_;
  std::size_t count_ = 0;
  std::vector<std::uint32_t> words_;
  std::vector<std::uint32_t> slots_;  // a power of two of them, at most half full
};

}  // namespace attune::space
