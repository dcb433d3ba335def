#include "dispatch/kernel_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "attune/error.hpp"
#include "core/near_name.hpp"
#include "spec/kernel_file.hpp"

namespace attune {
namespace {

// Built-in kernels have the names of their files.
std::string stem(std::string_view file_name) { return std::string(file_name.substr(0, file_name.rfind('.'))); }

bool is_builtin(std::string_view name) {
  return std::ranges::any_of(builtin_kernels(), [&](const EmbeddedFile& file) { return stem(file.file_name) == name; });
}

}  // namespace

KnownKernel::Records KnownKernel::records(const Read& read) {
  const std::lock_guard lock(mutex_);
  if (records_ != nullptr) return records_;
  if (std::optional<std::vector<Record>> made = read())
    records_ = std::make_shared<const std::vector<Record>>(std::move(*made));
  return records_;
}

void KernelTable::add(KernelSpec spec, std::string tune_target) {
  const std::lock_guard lock(mutex_);
  // An application's kernel replaces a built-in of its name: a later attune with a new kernel must not break it.
  if (known_.contains(spec.name)) {
    throw UsageError(
        fmt::format("{}: there is a kernel `{}` already; give [kernel] another name", tune_target, spec.name));
  }
  std::string name = spec.name;
  known_.emplace(std::move(name), std::make_unique<KnownKernel>(std::move(spec), std::move(tune_target)));
}

KnownKernel& KernelTable::find(std::string_view name) {
  const std::lock_guard lock(mutex_);
  if (const auto place = known_.find(name); place != known_.end()) return *place->second;
  if (!is_builtin(name)) {
    throw UsageError(fmt::format("unknown kernel `{}`{}", name, suggestion(name, names_locked())));
  }
  std::string key(name);
  auto kernel = std::make_unique<KnownKernel>(load_kernel(key), key);
  return *known_.emplace(std::move(key), std::move(kernel)).first->second;
}

std::vector<std::string> KernelTable::names() const {
  const std::lock_guard lock(mutex_);
  return names_locked();
}

std::vector<std::string> KernelTable::names_locked() const {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : builtin_kernels()) names.push_back(stem(file.file_name));
  for (const auto& [name, kernel] : known_) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace attune
