// KernelTable: the kernels of a Dispatcher by name. Any thread; references stay valid as long as the table.
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
  // Adds all or none. One with the same name and fingerprints may be there already. Throws UsageError when another
  // kernel has a name.
  void add(std::vector<KernelPack> packs);
  // Throws UsageError for an unknown name, with the nearest one.
  const KernelPack& find(std::string_view name) const;
  // Returns all, in alphabetical order.
  std::vector<const KernelPack*> all() const;
  // Returns the names in alphabetical order.
  std::vector<std::string> names() const;

 private:
  mutable std::mutex mutex_;
  bool is_there(const KernelPack& pack) const;
  std::map<std::string, std::unique_ptr<const KernelPack>, std::less<>> known_;
};

}  // namespace attune
