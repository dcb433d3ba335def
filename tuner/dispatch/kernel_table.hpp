// KernelTable: the kernels of a Dispatcher by name. Any thread. References to kernels are valid as long as the table.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "bundle/kernel_pack.hpp"

namespace attune {

class KernelTable {
 public:
  // Adds all kernels or none. A kernel with the same name, fingerprints and `deterministic` may be there already.
  // Throws UsageError when a different kernel has the name of one of them.
  void add(std::vector<KernelPack> packs);
  // Returns the kernel. Throws UsageError for an unknown name; the message has the nearest known name.
  const KernelPack& find(std::string_view name) const;
  // Returns all kernels, in alphabetical order of their names.
  std::vector<const KernelPack*> all() const;
  // Returns the names in alphabetical order.
  std::vector<std::string> names() const;

 private:
  mutable std::mutex mutex_;
  bool is_there(const KernelPack& pack) const;
  std::map<std::string, std::unique_ptr<const KernelPack>, std::less<>> known_;
};

}  // namespace attune
