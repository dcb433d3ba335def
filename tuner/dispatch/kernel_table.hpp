// KernelTable: the kernels of a Dispatcher by name, each with its plans. Any thread. References to kernels are valid as
// long as the table.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dispatch/kernel_entries.hpp"

namespace attune {

class KernelTable {
 public:
  // `services` must outlive it.
  explicit KernelTable(EntryServices& services) : services_(services) {}

  // Adds all kernels or none. `before` is called before they can be found. A kernel with the same name, fingerprints
  // and `deterministic` may be there already. Throws UsageError when a different kernel has the name of one of them.
  void add(std::vector<KernelPack> packs, const std::function<void()>& before);
  // Returns the kernel. Throws UsageError for an unknown name; the message has the nearest known name.
  KernelEntries& find(std::string_view name) const;
  // Returns all kernels, in alphabetical order of their names.
  std::vector<KernelEntries*> all() const;

 private:
  // A kernel as launches and requests find it, without a lock.
  struct NamedKernel {
    explicit NamedKernel(const ProblemKey& of) : key(of) {}
    static std::span<const std::byte> memory() noexcept { return {}; }
    const ProblemKey key;  // hash and length of the name
    std::atomic<KernelEntries*> kernel{nullptr};
  };
  static ProblemKey key_of(std::string_view name) noexcept;
  bool is_there(const KernelPack& pack) const;
  [[noreturn]] void fail_unknown(std::string_view name) const;
  EntryServices& services_;
  mutable std::shared_mutex mutex_;
  std::map<std::string, std::unique_ptr<KernelEntries>, std::less<>> known_;
  EntryTable<NamedKernel> first_of_key_{2};  // of several names with one key, the first that was added
};

}  // namespace attune
