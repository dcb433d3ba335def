#include "device/cuda/driver_loader.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <memory>

#include "attune/error.hpp"
#include "device/cuda/cuda_status.hpp"

namespace attune::cuda {
namespace {

constexpr const char* no_driver_advice =
    "install the NVIDIA driver, or use the CPU instead: --device host or ATTUNE_DEVICE=host";

struct DriverSymbol {
  const char* name;      // for cuGetProcAddress
  const char* exported;  // for dlsym, on drivers older than 11.3
  int version;
  std::size_t offset;  // in DriverApi
  bool required;
};

#define ATTUNE_REQUIRED(member, function, version, exported, ...) \
  {#function, exported, version, offsetof(DriverApi, member), true},
#define ATTUNE_OPTIONAL(member, function, version, exported, ...) \
  {#function, exported, version, offsetof(DriverApi, member), false},
constexpr DriverSymbol driver_symbols[] = {ATTUNE_DRIVER_FUNCTIONS(ATTUNE_REQUIRED)
                                               ATTUNE_DRIVER_OPTIONAL(ATTUNE_OPTIONAL)};
#undef ATTUNE_REQUIRED
#undef ATTUNE_OPTIONAL

// The ways to look up a driver's symbol, best first.
struct Resolver {
  void* library = nullptr;
  GetProcAddress12 by_version_12 = nullptr;
  GetProcAddress11 by_version_11 = nullptr;

  explicit Resolver(void* handle) : library(handle) {
    by_version_12 = reinterpret_cast<GetProcAddress12>(dlsym(handle, "cuGetProcAddress_v2"));
    by_version_11 = reinterpret_cast<GetProcAddress11>(dlsym(handle, "cuGetProcAddress"));
  }

  void* find(const DriverSymbol& symbol) const {
    void* address = nullptr;
    if (by_version_12 != nullptr) {
      int found = 0;
      const DriverResult result = by_version_12(symbol.name, &address, symbol.version, legacy_stream_symbols, &found);
      return result == result_success && found == 0 ? address : nullptr;
    }
    if (by_version_11 != nullptr) {
      const DriverResult result = by_version_11(symbol.name, &address, symbol.version, legacy_stream_symbols);
      return result == result_success ? address : nullptr;
    }
    return dlsym(library, symbol.exported);
  }
};

std::string explain_initialisation(const DriverApi& api, DriverResult result) {
  return fmt::format("the CUDA driver does not answer: {}", explain_driver_failure(api, result));
}

DriverLoad initialise(const DriverLoad& load) {
  if (load.api == nullptr) return load;
  if (const DriverResult result = load.api->init(0); result != result_success) {
    return {nullptr, explain_initialisation(*load.api, result)};
  }
  int count = 0;
  const DriverResult result = load.api->device_get_count(&count);
  if (result != result_success) return {nullptr, explain_initialisation(*load.api, result)};
  if (count == 0) return {nullptr, explain_initialisation(*load.api, result_no_device)};
  return load;
}

}  // namespace

std::string lacks(int version, const char* function, int since) {
  return fmt::format("the CUDA driver (CUDA {}) lacks {} of CUDA {}: update the NVIDIA driver, or use --device host",
                     version_text(version), function, version_text(since));
}

DriverLoad load_driver(const char* library) {
  void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return {nullptr, fmt::format("no CUDA driver ({} cannot be loaded: {}); {}", library, dlerror(), no_driver_advice)};
  }
  const auto get_version = reinterpret_cast<GetVersion>(dlsym(handle, "cuDriverGetVersion"));
  int version = 0;
  const DriverResult result = get_version == nullptr ? result_success : get_version(&version);
  if (result == result_stub_library) {
    return {nullptr,
            fmt::format("no CUDA driver ({} is the toolkit's stub for linking, not a driver; take its folder out "
                        "of LD_LIBRARY_PATH); {}",
                        library, no_driver_advice)};
  }
  if (get_version == nullptr || result != result_success) {
    return {nullptr, fmt::format("no CUDA driver ({} does not report its version: error {}); {}", library, result,
                                 no_driver_advice)};
  }
  auto api = std::make_unique<DriverApi>();
  api->cuda_version = version;
  const Resolver resolver(handle);
  for (const DriverSymbol& symbol : driver_symbols) {
    // Looking up a version above the driver's own is an error, not an absence.
    void* address = symbol.version <= version ? resolver.find(symbol) : nullptr;
    if (address == nullptr && symbol.required) {
      return {nullptr, lacks(version, symbol.name, symbol.version)};
    }
    *reinterpret_cast<void**>(reinterpret_cast<char*>(api.get()) + symbol.offset) = address;
  }
  return {api.release(), ""};
}

const DriverLoad& driver_load() {
  static const DriverLoad* const load = new DriverLoad(load_driver("libcuda.so.1"));
  return *load;
}

const DriverLoad& ready_driver() {
  static const DriverLoad* const load = new DriverLoad(initialise(driver_load()));
  return *load;
}

const DriverApi& require_driver() {
  const DriverLoad& load = ready_driver();
  if (load.api == nullptr) throw Error(load.why_not);
  return *load.api;
}

int driver_cuda_version() {
  const DriverApi* api = driver_load().api;
  return api == nullptr ? 0 : api->cuda_version;
}

}  // namespace attune::cuda
