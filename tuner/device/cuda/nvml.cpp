#include "device/cuda/nvml.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <fstream>
#include <memory>

#include "device/cuda/nvml_api.hpp"

namespace attune::cuda {
namespace {

struct Symbol {
  const char* exported;
  std::size_t offset;  // in NvmlApi
};

#define ATTUNE_SYMBOL(member, function, exported, ...) {exported, offsetof(NvmlApi, member)},
constexpr Symbol symbols[] = {ATTUNE_NVML_FUNCTIONS(ATTUNE_SYMBOL)};
#undef ATTUNE_SYMBOL

std::unique_ptr<NvmlApi> load_nvml() {
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  auto api = std::make_unique<NvmlApi>();
  for (const Symbol& symbol : symbols) {
    void* address = dlsym(library, symbol.exported);
    if (address == nullptr) return nullptr;
    *reinterpret_cast<void**>(reinterpret_cast<char*>(api.get()) + symbol.offset) = address;
  }
  return api;
}

// Null when there is none. Loaded once and never unloaded.
const NvmlApi* nvml() {
  static const NvmlApi* const api = load_nvml().release();
  return api;
}

}  // namespace

NvmlAnswers ask_nvml(const std::string& uuid) {
  const NvmlApi* api = nvml();
  if (api == nullptr || api->init() != nvml_success) return {};
  NvmlAnswers answers;
  std::array<char, nvml_text_bytes> text{};
  if (api->driver_version(text.data(), nvml_text_bytes) == nvml_success) answers.driver_version = text.data();
  NvmlDevice device = nullptr;
  if (api->device_by_uuid(uuid.c_str(), &device) == nvml_success) {
    unsigned milliwatts = 0;
    if (api->device_name(device, text.data(), nvml_text_bytes) == nvml_success) answers.device_name = text.data();
    if (api->power_limit(device, &milliwatts) == nvml_success) answers.power_limit_mw = static_cast<int>(milliwatts);
  }
  api->shutdown();  // counted: undoes the init above and no other
  return answers;
}

std::vector<std::string> other_processes_on(const std::string& uuid) {
  const NvmlApi* api = nvml();
  void* library = api == nullptr ? nullptr : dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr || api->init() != nvml_success) return {};
  const auto list = reinterpret_cast<NvmlProcessesFunction>(dlsym(library, nvml_processes_symbol));
  std::array<NvmlProcess, 64> processes{};
  auto count = static_cast<unsigned>(processes.size());
  NvmlDevice device = nullptr;
  std::vector<std::string> found;
  if (list != nullptr && api->device_by_uuid(uuid.c_str(), &device) == nvml_success &&
      list(device, &count, processes.data()) == nvml_success) {
    for (unsigned i = 0; i < count; ++i) {
      if (processes[i].pid == static_cast<unsigned>(getpid())) continue;
      std::string name;
      std::getline(std::ifstream("/proc/" + std::to_string(processes[i].pid) + "/comm"), name);
      found.push_back((name.empty() ? "process" : name) + " (" + std::to_string(processes[i].pid) + ")");
    }
  }
  api->shutdown();
  return found;
}

}  // namespace attune::cuda
