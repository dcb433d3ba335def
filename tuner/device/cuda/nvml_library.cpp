#include "device/cuda/nvml_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "attune/error.hpp"
#include "base/trusted_environment.hpp"

namespace attune::cuda {
namespace {

constexpr const char* library_name = "libnvidia-ml.so.1";

struct NvmlSymbol {
  const char* exported;
  std::size_t offset;  // in NvmlApi
};

#define ATTUNE_SYMBOL(member, function, exported, ...) {exported, offsetof(NvmlApi, member)},
constexpr NvmlSymbol needed[] = {ATTUNE_NVML_FUNCTIONS(ATTUNE_SYMBOL)};
constexpr NvmlSymbol optional[] = {ATTUNE_NVML_OPTIONAL_FUNCTIONS(ATTUNE_SYMBOL)};
#undef ATTUNE_SYMBOL

// Returns false when the library has no such function.
bool resolve(void* library, NvmlApi& api, const NvmlSymbol& symbol) {
  void* address = dlsym(library, symbol.exported);
  *reinterpret_cast<void**>(reinterpret_cast<char*>(&api) + symbol.offset) = address;
  return address != nullptr;
}

// Returns null when the library cannot be used; `why_not` then has the reason.
std::unique_ptr<const NvmlApi> load_file(const std::string& file, std::string& why_not) {
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    why_not = dlerror();
    return nullptr;
  }
  auto api = std::make_unique<NvmlApi>();
  for (const NvmlSymbol& symbol : needed) {
    if (resolve(library, *api, symbol)) continue;
    why_not = fmt::format("{} lacks {}", file, symbol.exported);
    return nullptr;
  }
  for (const NvmlSymbol& symbol : optional) resolve(library, *api, symbol);
  return api;
}

}  // namespace

std::string nvml_setting() { return trusted_environment("ATTUNE_NVML").value_or(""); }

std::unique_ptr<const NvmlApi> load_nvml(const std::string& setting) {
  if (setting == "none") return nullptr;
  std::string file = setting.empty() ? library_name : setting, why_not;
  std::error_code error;
  if (std::filesystem::is_directory(setting, error)) file = (std::filesystem::path(setting) / library_name).string();
  auto api = load_file(file, why_not);
  if (api == nullptr && !setting.empty()) {
    throw Error(fmt::format(
        "ATTUNE_NVML is `{}`, but that is no NVML: {}; point it at {} or its folder, or unset it (`none`: do without)",
        setting, why_not, library_name));
  }
  return api;
}

const NvmlApi* nvml() {
  static const NvmlApi* const api = load_nvml(nvml_setting()).release();
  return api;
}

}  // namespace attune::cuda
