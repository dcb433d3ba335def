#include "device/host/host_module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <map>

#include "base/quiet_signal.hpp"
#include "base/system_failure.hpp"
#include "device/host/compiler_process.hpp"
#include "device/host/host_compiler.hpp"
#include "device/host/sanitizer.hpp"

#if defined(__SANITIZE_ADDRESS__)
// LeakSanitizer of g++ 12 tracks thread-local storage of unloaded objects and then crashes at exit.
extern "C" __attribute__((weak)) const char* __asan_default_options() { return "intercept_tls_get_addr=0"; }
#endif

namespace attune {
namespace {

// The loaded object. Where memory files cannot be executed, also the folder with the temporary file that takes their
// place.
struct LibraryHandle {
  std::optional<TemporaryFolder> folder;
  void* handle = nullptr;
  ~LibraryHandle() {
    if (handle != nullptr) dlclose(handle);
  }
};

// Returns a name of an open file that no call returned before. glibc takes objects with equal names for the same
// object, and descriptors' numbers come again, because a kernel can close descriptors. "/." between folders means
// nothing, so the name spells a number with it, bit by bit.
std::string fresh_name(int file) {
  static std::atomic<std::uint64_t> names{0};
  std::string name = "/proc/self/fd";
  for (std::uint64_t number = ++names; number != 0; number /= 2) name += number % 2 == 1 ? "/." : "/";
  return fmt::format("{}/{}", name, file);
}

bool write_all(int file, const std::vector<std::byte>& bytes) {
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t count = write(file, bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    written += static_cast<std::size_t>(count);
  }
  return true;
}

bool open_object(LibraryHandle& loaded, const std::string& path, std::string& why) {
  loaded.handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded.handle == nullptr) why = dlerror();
  return loaded.handle != nullptr;
}

// Returns null, and the reason in `why`, when it fails.
std::unique_ptr<LibraryHandle> load_from_memory(const std::vector<std::byte>& code, std::string& why) {
  auto loaded = std::make_unique<LibraryHandle>();
  const int file = memfd_create("attune-kernel", MFD_CLOEXEC);
  const bool is_written = file >= 0 && write_all(file, code);
  if (!is_written) why = system_failure(errno);
  const bool is_open = is_written && open_object(*loaded, fresh_name(file), why);
  if (file >= 0) close(file);
  return is_open ? std::move(loaded) : nullptr;
}

std::unique_ptr<LibraryHandle> load_from_file(const std::vector<std::byte>& code, std::string& why) {
  auto loaded = std::make_unique<LibraryHandle>();
  loaded->folder.emplace();
  const std::string path = (loaded->folder->path() / "kernel.so").string();
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(code.data()), static_cast<std::streamsize>(code.size()));
  file.close();
  if (!file) throw Error("cannot write " + path + ": " + system_failure(errno) + " (TMPDIR names another place)");
  return open_object(*loaded, path, why) ? std::move(loaded) : nullptr;
}

class HostModule final : public Module {
 public:
  HostModule(std::unique_ptr<LibraryHandle> loaded, const Image& image, const DeviceInfo& info)
      : loaded_(std::move(loaded)), info_(info) {
    for (const ImageFunction& function : image.functions) functions_[function.expression] = {function, {}};
  }

  // Finds the functions of the object. Returns nothing, or what the object lacks.
  std::optional<std::string> resolve() {
    const auto version = symbol<unsigned()>("attune_host_abi_version");
    const auto set_runtime = symbol<void(const attune_host::Runtime*)>("attune_host_set_runtime");
    const auto slot = symbol<attune_host::Thread**()>("attune_host_current_slot");
    if (version == nullptr || set_runtime == nullptr || slot == nullptr) return "it is no kernel object of attune";
    if (version() != attune_host::host_abi_version)
      return fmt::format("it was made for version {} of the host device, this is {}", version(),
                         attune_host::host_abi_version);
    set_runtime(&host_runtime());
    for (auto& [expression, entry] : functions_) {
      entry.second.entry = symbol<void(void**)>(entry.first.symbol.c_str());
      entry.second.current_slot = slot;
      entry.second.expression = expression.c_str();
      if (entry.second.entry == nullptr) return "it lacks " + expression;
    }
    return std::nullopt;
  }

  FunctionHandle function(std::string_view expression, const LaunchShape& shape, Status& status) override {
    const auto found = functions_.find(std::string(expression));
    if (found == functions_.end()) {
      status = {Verdict::load_error, fmt::format("the image has no {}", expression), false};
      return nullptr;
    }
    status = fits(found->second.first.usage, shape);
    return status.ok() ? &found->second.second : nullptr;
  }

  // The entry of a variable gives the variable's address and size (translation_unit.cpp).
  Variable variable(std::string_view expression, Status& status) override {
    const auto found = functions_.find(std::string(expression));
    if (found == functions_.end()) {
      status = {Verdict::load_error, fmt::format("the image has no {}", expression), false};
      return {};
    }
    void* place[2] = {};
    found->second.second.entry(place);
    return {place[0], reinterpret_cast<std::uintptr_t>(place[1])};
  }

 private:
  template <typename Function>
  Function* symbol(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(loaded_->handle, name));
  }

  Status fits(const ResourceUsage& usage, const LaunchShape& shape) const {
    const std::uint64_t threads = std::uint64_t{shape.block[0]} * shape.block[1] * shape.block[2];
    for (int i = 0; i < 3; ++i) {
      if (shape.block[i] > static_cast<std::uint64_t>(info_.max_block[i]))
        return {Verdict::resources,
                fmt::format("a block of ({},{},{}) threads; this device takes up to ({},{},{})", shape.block[0],
                            shape.block[1], shape.block[2], info_.max_block[0], info_.max_block[1], info_.max_block[2]),
                false};
    }
    if (threads == 0 || threads > static_cast<std::uint64_t>(info_.max_threads_per_block))
      return {Verdict::resources,
              fmt::format("{} threads per block; this device runs 1 to {}", threads, info_.max_threads_per_block),
              false};
    if (usage.shared_static + shape.shared_bytes > info_.shared_per_block)
      return {Verdict::resources,
              fmt::format("{} bytes of static and {} of dynamic shared memory; this device has {} per block",
                          usage.shared_static, shape.shared_bytes, info_.shared_per_block),
              false};
    return {};
  }

  std::unique_ptr<LibraryHandle> loaded_;
  const DeviceInfo& info_;
  std::map<std::string, std::pair<ImageFunction, HostFunction>> functions_;
};

LoadOutcome refuse(const std::string& why) {
  return {{Verdict::load_error, "cannot load the compiled kernel: " + why, false}, nullptr};
}

}  // namespace

LoadOutcome load_host_module(const Image& image, const DeviceInfo& info) {
  if (image.architecture != host_image_architecture())
    return refuse("it is an image for " + image.architecture + ", not for " + host_image_architecture());
  if (image.code == nullptr) return refuse("the image has no code");
  const QuietSignal beyond_limit(SIGXFSZ);  // of file sizes
  std::string why;
  // The sanitizers look lines up in the file, perhaps from another process.
  std::unique_ptr<LibraryHandle> loaded = sanitizers().any() ? nullptr : load_from_memory(*image.code, why);
  if (loaded == nullptr) loaded = load_from_file(*image.code, why);
  if (loaded == nullptr) return refuse(why);
  auto module = std::make_shared<HostModule>(std::move(loaded), image, info);
  if (const std::optional<std::string> lacking = module->resolve()) return refuse(*lacking);
  return {{}, module};
}

}  // namespace attune
