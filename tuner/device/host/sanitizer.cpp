#include "device/host/sanitizer.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "attune/error.hpp"
#include "base/system_failure.hpp"
#include "device/host/block_runner.hpp"
#include "device/host/runner_of_thread.hpp"

namespace attune {
namespace {

template <typename Function>
Function* look_up(const char* name, void* where = RTLD_DEFAULT) noexcept {
  return reinterpret_cast<Function*>(dlsym(where, name));
}

// Null where AddressSanitizer's runtime is not loaded.
struct AddressFunctions {
  void (*poison)(const volatile void* memory,
                 std::size_t bytes) = look_up<void(const volatile void*, std::size_t)>("__asan_poison_memory_region");
  void (*unpoison)(const volatile void* memory, std::size_t bytes) =
      look_up<void(const volatile void*, std::size_t)>("__asan_unpoison_memory_region");
  void* (*report_address)() = look_up<void*()>("__asan_get_report_address");
  std::size_t (*report_bytes)() = look_up<std::size_t()>("__asan_get_report_access_size");
  int (*report_is_write)() = look_up<int()>("__asan_get_report_access_type");
  const char* (*report_description)() = look_up<const char*()>("__asan_get_report_description");
};

const AddressFunctions& address_functions() {
  static const AddressFunctions functions;
  return functions;
}

// Never destroyed: kernel objects may be unloaded after static objects of the program.
std::map<const void*, Fence>& fences() {
  static auto* const all = new std::map<const void*, Fence>;
  return *all;
}

struct Findings {
  std::string report_path;
  std::function<void(const SanitizerFinding&)> handler;
};
Findings& findings() {
  static auto* const all = new Findings;
  return *all;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::optional<Fence> fence_touched(const std::byte* address, std::size_t bytes) {
  for (const auto& [memory, fence] : fences()) {
    const auto* const begin = static_cast<const std::byte*>(memory);
    // An access may begin inside and end outside.
    if (address + bytes > begin - fence.below && address < begin + fence.bytes + fence.above) return fence;
  }
  return std::nullopt;
}

// The runtimes call this before they end the process, on the stack of the faulty kernel.
void on_death() {
  const BlockRunner* const runner = runner_of_thread();
  if (runner == nullptr || !findings().handler) return;
  SanitizerFinding finding;
  finding.thread = runner->running_text();
  finding.call = runner->call();
  const std::string& path = findings().report_path;
  finding.report = text_of(path) + text_of(fmt::format("{}.{}", path, getpid()));
  const AddressFunctions& of = address_functions();
  const char* const description = of.report_description != nullptr ? of.report_description() : nullptr;
  if (description != nullptr && *description != '\0') {
    finding.description = description;
    finding.address = static_cast<const std::byte*>(of.report_address());
    finding.bytes = of.report_bytes();
    finding.write = of.report_is_write() != 0;
    finding.fence = fence_touched(finding.address, finding.bytes);
  }
  findings().handler(finding);
}

// Returns the paths of the loaded runtimes: GCC has two libraries, clang one.
std::vector<std::string> loaded_runtimes() {
  std::vector<std::string> paths;
  const auto look = [](dl_phdr_info* object, std::size_t, void* found) {
    const std::string_view path(object->dlpi_name);
    const std::string_view name = path.substr(path.rfind('/') + 1);
    for (const std::string_view runtime : {"libasan.", "libubsan.", "libclang_rt."})
      if (name.starts_with(runtime)) static_cast<std::vector<std::string>*>(found)->emplace_back(path);
    return 0;
  };
  dl_iterate_phdr(look, &paths);
  return paths;
}

// Gives a runtime the callback and the file for its reports; every runtime has functions of these names, for itself. A
// runtime that starts only with its first report does not write to this file, but to log_path and the process id.
// Returns false when the runtime is not loaded or lacks the functions.
bool instruct(const std::string& runtime, const std::string& report_path) {
  void* const handle = dlopen(runtime.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return false;
  auto* const set_callback = look_up<void(void (*)())>("__sanitizer_set_death_callback", handle);
  auto* const set_report = look_up<void(void*)>("__sanitizer_set_report_fd", handle);
  if (set_callback == nullptr || set_report == nullptr) return false;
  const int file = open(report_path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) throw Error("cannot write " + report_path + ": " + system_failure(errno));
  set_callback(on_death);
  set_report(reinterpret_cast<void*>(static_cast<std::intptr_t>(file)));
  return true;
}

}  // namespace

std::string Sanitizers::text() const {
  return fmt::format("{}{}{}", address ? "address" : "", address && undefined ? "," : "", undefined ? "undefined" : "");
}

Sanitizers parse_sanitizers(std::string_view text) {
  Sanitizers chosen;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view name = text.substr(begin, end - begin);
    if (name == "address") {
      chosen.address = true;
    } else if (name == "undefined") {
      chosen.undefined = true;
    } else {
      throw UsageError(
          fmt::format("no sanitizer `{}`; the host device has: address, undefined (or both: "
                      "address,undefined); docs/host_device.md says why no other",
                      name));
    }
    begin = end + 1;
  }
  return chosen;
}

const Sanitizers& sanitizers() {
  static const Sanitizers chosen = [] {
    const char* const text = std::getenv("ATTUNE_SANITIZE");
    return text != nullptr && *text != '\0' ? parse_sanitizers(text) : Sanitizers{};
  }();
  return chosen;
}

void fence_off(const Fence& fence) {
  if (!sanitizers().address || address_functions().poison == nullptr) return;
  const auto* const begin = static_cast<const std::byte*>(fence.memory);
  address_functions().poison(begin - fence.below, fence.below);
  address_functions().poison(begin + fence.bytes, fence.above);
  fences()[fence.memory] = fence;
}

void remove_fence(const void* memory) {
  if (!sanitizers().address) return;  // other threads come here too and must not wait for each other
  const auto found = fences().find(memory);
  if (found == fences().end()) return;
  const Fence& fence = found->second;
  allow_access(static_cast<const std::byte*>(memory) - fence.below, fence.below + fence.bytes + fence.above);
  fences().erase(found);
}

void allow_access(const void* memory, std::size_t bytes) noexcept {
  if (address_functions().unpoison != nullptr) address_functions().unpoison(memory, bytes);
}

FiberAnnotations fiber_annotations() noexcept {
  FiberAnnotations found;
  found.start_switch = look_up<void(void**, const void*, std::size_t)>("__sanitizer_start_switch_fiber");
  found.finish_switch = look_up<void(void*, const void**, std::size_t*)>("__sanitizer_finish_switch_fiber");
  return found;
}

void on_finding(const std::string& report_path, std::function<void(const SanitizerFinding&)> handler) {
  findings() = {report_path, std::move(handler)};
  bool told = false;
  for (const std::string& runtime : loaded_runtimes()) told = instruct(runtime, report_path) || told;
  const bool lacks_address = sanitizers().address && address_functions().poison == nullptr;
  if (!told || lacks_address)
    throw Error(
        fmt::format("ATTUNE_SANITIZE is `{}`, but this process was started without the sanitizers' runtime: "
                    "unset it, and use attune check --sanitize",
                    sanitizers().text()));
}

}  // namespace attune
