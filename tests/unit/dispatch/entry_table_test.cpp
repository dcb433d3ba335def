// Entries by problem key, found without a lock.
#include "dispatch/entry_table.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace attune {
namespace {

struct alignas(64) Entry {
  explicit Entry(const ProblemKey& of) : key(of) {}
  std::span<const std::byte> memory() const noexcept { return std::as_bytes(std::span(where, size)); }
  const ProblemKey key;
  const std::uint64_t* where = nullptr;
  std::size_t size = 0;
};
using Table = EntryTable<Entry>;

TEST(EntryTable, FindsWhatWasInserted) {
  Table table;
  EXPECT_EQ(table.find({1, 2}), nullptr);
  Entry& entry = table.insert({1, 2});
  EXPECT_EQ(table.find({1, 2}), &entry);
  EXPECT_EQ(&table.insert({1, 2}), &entry);
  EXPECT_EQ(table.find({2, 1}), nullptr);
  EXPECT_EQ(table.find({1, 2, 0, 0, 0, 0, 0, 1}), nullptr);
}

TEST(EntryTable, LooksAtAllNumbersOfShortKeys) {
  Table table(2);
  Entry& entry = table.insert({1, 2});
  EXPECT_EQ(table.find({1, 2}), &entry);
  EXPECT_EQ(table.find({1, 3}), nullptr);
  EXPECT_EQ(table.find({0, 2}), nullptr);
}

// Where an entry's memory lies changes nothing of what is found, wherever that is.
TEST(EntryTable, FetchesAheadWhateverItIsTold) {
  Table table;
  std::vector<Entry*> entries;
  for (std::uint64_t n = 0; n < 1000; ++n) entries.push_back(&table.insert({n}));
  for (std::uint64_t n = 0; n < 1000; ++n) {
    entries[n]->where = reinterpret_cast<const std::uint64_t*>(n << 54 | n << 20);  // never read
    entries[n]->size = 64 * n;
    table.fetch_ahead(*entries[n]);
  }
  for (std::uint64_t n = 0; n < 1000; ++n) EXPECT_EQ(table.find({n}), entries[n]);
  for (std::uint64_t n = 1000; n < 5000; ++n) table.insert({n});  // it grows
  for (std::uint64_t n = 0; n < 1000; ++n) EXPECT_EQ(table.find({n}), entries[n]);
}

// Sizes are often powers of two, multiples of one, or small. A bad spread would take seconds.
TEST(EntryTable, SpreadsKeysThatAreAlike) {
  const auto begin = std::chrono::steady_clock::now();
  for (const std::uint64_t step :
       {std::uint64_t{1}, std::uint64_t{64}, std::uint64_t{1} << 20, std::uint64_t{1} << 40}) {
    Table table;
    for (std::uint64_t a = 0; a < 100; ++a)
      for (std::uint64_t b = 0; b < 100; ++b) table.insert({a * step, b * step, 1});
    for (std::uint64_t a = 0; a < 100; ++a)
      for (std::uint64_t b = 0; b < 100; ++b) {
        const Entry* const found = table.find({a * step, b * step, 1});
        ASSERT_NE(found, nullptr);
        EXPECT_EQ(found->key[0], a * step);
      }
    EXPECT_EQ(table.find({100 * step, 0, 1}), nullptr);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

TEST(EntryTable, IsReadWhileItGrows) {
  Table table;
  std::atomic<std::uint64_t> inserted = 0;
  std::atomic<int> missing = 0;
  {
    std::vector<std::jthread> readers;
    for (int t = 0; t < 2; ++t)
      readers.emplace_back([&] {
        for (std::uint64_t known = 0; known < 20000; known = inserted.load(std::memory_order_acquire))
          for (std::uint64_t n = known > 100 ? known - 100 : 0; n < known; ++n)
            if (const Entry* const found = table.find({n, 7}); found == nullptr || found->key[0] != n) ++missing;
      });
    for (std::uint64_t n = 0; n < 20000; ++n) {
      Entry& entry = table.insert({n, 7});
      table.fetch_ahead(entry);
      inserted.store(n + 1, std::memory_order_release);
    }
  }
  EXPECT_EQ(missing, 0);
}

}  // namespace
}  // namespace attune
