// KernelTable: the kernels of a Dispatcher by name: the built-in ones, read at first use, and the added ones. Any
// thread; references stay valid as long as the table.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attune/kernel_spec.hpp"
#include "core/record.hpp"

namespace attune {

class KnownKernel {
 public:
  using Read = std::function<std::optional<std::vector<Record>>()>;
  using Records = std::shared_ptr<const std::vector<Record>>;
  KnownKernel(KernelSpec kernel, std::string target) : spec(std::move(kernel)), tune_target(std::move(target)) {}

  // Returns its wisdom: the first call that can reads it, later ones keep it. Null: it cannot be read yet.
  Records records(const Read& read);

  const KernelSpec spec;
  const std::string tune_target;  // its name for `attune tune`

 private:
  std::mutex mutex_;
  Records records_;
};

class KernelTable {
 public:
  // Adds a kernel; it replaces a built-in kernel of that name if that was not asked for yet. Throws UsageError when the
  // name is taken otherwise.
  void add(KernelSpec spec, std::string tune_target);
  // Throws UsageError for an unknown name, with the nearest one.
  KnownKernel& find(std::string_view name);
  // Returns the names in alphabetical order.
  std::vector<std::string> names() const;

 private:
  std::vector<std::string> names_locked() const;
  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<KnownKernel>, std::less<>> known_;
};

}  // namespace attune
