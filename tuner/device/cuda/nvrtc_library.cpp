#include "device/cuda/nvrtc_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <system_error>

#include "attune/error.hpp"
#include "base/mistrust.hpp"
#include "base/trusted_environment.hpp"
#include "device/cuda/cuda_status.hpp"
#include "device/cuda/driver_loader.hpp"

namespace attune::cuda {
namespace {

namespace fs = std::filesystem;

struct KnownLibrary {
  int major;
  const char* file_name;
};

// Newest first. From 11.2 on the file name is stable within a major version; older ones make no cubins.
constexpr KnownLibrary known_libraries[] = {
    {13, "libnvrtc.so.13"},
    {12, "libnvrtc.so.12"},
    {11, "libnvrtc.so.11.2"},
};

struct NvrtcSymbol {
  const char* name;
  std::size_t offset;  // in NvrtcApi
};

#define ATTUNE_SYMBOL(member, function, ...) {#function, offsetof(NvrtcApi, member)},
constexpr NvrtcSymbol nvrtc_symbols[] = {ATTUNE_NVRTC_FUNCTIONS(ATTUNE_SYMBOL)};
constexpr NvrtcSymbol pch_symbols[] = {ATTUNE_NVRTC_PCH_FUNCTIONS(ATTUNE_SYMBOL)};
#undef ATTUNE_SYMBOL

constexpr const char* install_advice =
    "install NVIDIA's package cuda-nvrtc-13-0 (or cuda-nvrtc-12-9 for a driver of CUDA 12), or pip's "
    "nvidia-cuda-nvrtc, or the "
    "CUDA toolkit, and if it lies elsewhere point ATTUNE_NVRTC at libnvrtc.so.N; without a GPU: --device host";

// The library found, or else the reason why it cannot be used.
struct LibraryAttempt {
  std::optional<NvrtcLibrary> library;
  std::string complaint;  // "" also when there is no such file
};

// Returns why a file or folder that is there is not trusted, with its name; "": it is.
[[gnu::cold]] std::string distrust(const std::string& file) {
  struct stat status {};
  const std::string why = stat(file.c_str(), &status) == 0 ? mistrust(status) : "";
  return why.empty() ? why : file + ' ' + why;
}

fs::path file_of(const void* symbol) {
  Dl_info info{};
  if (dladdr(symbol, &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code error;
  const fs::path real = fs::canonical(info.dli_fname, error);
  return error ? fs::path(info.dli_fname) : real;
}

// Returns the place of the companion library of NVRTC's own version in NVRTC's folder. Once it is loaded NVRTC uses
// that one, because it asks the loader for the companion by name.
std::string companion_of(const NvrtcLibrary& library) {
  return fmt::format("{}/libnvrtc-builtins.so.{}.{}", library.file.parent_path().string(), library.major,
                     library.minor);
}

// Compiles a one-line kernel, because only a compile shows that the companion is nowhere to be found. This takes 10 ms,
// also of a first launch.
std::string self_test(const NvrtcLibrary& library) {
  NvrtcProgram program = nullptr;
  const char* source = "__global__ void attune_self_test(int* out) { *out = 1; }";
  NvrtcResult result = library.api.create(&program, source, "attune_self_test.cu", 0, nullptr, nullptr);
  if (result == nvrtc_success) {
    const std::string architecture = fmt::format("--gpu-architecture=sm_{}", library.architectures.back());
    const char* options[] = {architecture.c_str()};
    result = library.api.compile(program, 1, options);
  }
  library.api.destroy(&program);
  if (result == nvrtc_success) return "";
  if (result == nvrtc_builtin_failure) {
    return fmt::format(
        "{} at {} lacks its companion libnvrtc-builtins.so.{}.{}, which must lie beside it (or its folder in "
        "LD_LIBRARY_PATH)",
        library.name(), library.file.string(), library.major, library.minor);
  }
  return fmt::format("{} at {} cannot compile a one-line kernel: {}", library.name(), library.file.string(),
                     library.api.error_string(result));
}

void store(NvrtcApi& api, const NvrtcSymbol& symbol, void* address) {
  *reinterpret_cast<void**>(reinterpret_cast<char*>(&api) + symbol.offset) = address;
}

void resolve_pch(void* handle, NvrtcApi& api) {
  for (const NvrtcSymbol& symbol : pch_symbols) {
    if (dlsym(handle, symbol.name) == nullptr) return;
  }
  for (const NvrtcSymbol& symbol : pch_symbols) store(api, symbol, dlsym(handle, symbol.name));
}

std::string resolve(void* handle, NvrtcLibrary& library, const std::string& file) {
  for (const NvrtcSymbol& symbol : nvrtc_symbols) {
    void* address = dlsym(handle, symbol.name);
    if (address == nullptr)
      return fmt::format("{} lacks {}: it is no NVRTC, or one older than CUDA 11.2", file, symbol.name);
    store(library.api, symbol, address);
  }
  resolve_pch(handle, library.api);
  library.file = file_of(reinterpret_cast<const void*>(library.api.version));
  int count = 0;
  if (library.api.version(&library.major, &library.minor) != nvrtc_success ||
      library.api.architecture_count(&count) != nvrtc_success || count <= 0) {
    return fmt::format("{} does not report its version", file);
  }
  library.architectures.resize(static_cast<std::size_t>(count));
  if (library.api.architectures(library.architectures.data()) != nvrtc_success) {
    return fmt::format("{} does not report its architectures", file);
  }
  return "";
}

std::string too_new(const NvrtcLibrary& library, int driver_version) {
  return fmt::format(
      "{} at {} is newer than the driver (CUDA {}), which cannot load what it compiles: update the NVIDIA driver, "
      "or install NVRTC {}",
      library.name(), library.file.string(), version_text(driver_version), driver_version / 1000);
}

// Returns why a library in the executable's folder is not trusted; "": it is, or lies elsewhere, or was named.
[[gnu::cold]] std::string distrust_of_own(const std::string& file, const NvrtcSearch& search) {
  if (!search.begins_at_executable || !search.setting.empty()) return {};
  const std::string& folder = search.folders.front().native();
  if (!file.starts_with(folder) || file.rfind('/') != folder.size() || access(file.c_str(), F_OK) != 0) return {};
  std::string why = distrust(folder);
  return why.empty() ? distrust(file) : why;
}

LibraryAttempt attempt(const std::string& file, const NvrtcSearch& search) {
  std::error_code absent;
  const fs::file_status status = fs::status(file, absent);
  if (file.find('/') != std::string::npos && fs::exists(status) && !fs::is_regular_file(status))
    return {{}, fmt::format("{} is no regular file; name a libnvrtc.so.N, or its folder", file)};
  if (std::string why = distrust_of_own(file, search); !why.empty()) return {{}, std::move(why)};
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = dlerror();
    const bool named = file.find('/') != std::string::npos;
    std::error_code error;
    if (named && fs::exists(file, error)) return {{}, fmt::format("{} cannot be loaded: {}", file, reason)};
    return {};
  }
  NvrtcLibrary library;
  std::string complaint = resolve(handle, library, file);
  const int driver_major = search.driver_cuda_version / 1000;
  if (complaint.empty() && driver_major != 0 && library.major > driver_major) {
    complaint = too_new(library, search.driver_cuda_version);
  }
  if (complaint.empty()) complaint = distrust_of_own(companion_of(library), search);
  if (complaint.empty() && dlopen(companion_of(library).c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr)
    complaint = self_test(library);
  if (!complaint.empty()) return {{}, std::move(complaint)};
  return {std::move(library), ""};
}

[[noreturn]] void nothing_found(const NvrtcSearch& search, const std::vector<std::string>& complaints) {
  if (!search.setting.empty()) {
    if (!complaints.empty()) throw Error(fmt::format("ATTUNE_NVRTC: {}", fmt::join(complaints, "; ")));
    throw Error(fmt::format("ATTUNE_NVRTC is `{}`, but there is no such library; {}", search.setting, install_advice));
  }
  std::vector<std::string> folders;
  for (const fs::path& folder : search.folders) folders.push_back(folder.string());
  const std::string where =
      fmt::format("{}{}on the loader's path", fmt::join(folders, ", "), folders.empty() ? "" : " and ");
  const std::string kind =
      search.driver_cuda_version == 0
          ? "NVRTC, the CUDA run-time compiler"
          : fmt::format("NVRTC (the CUDA run-time compiler) that the driver (CUDA {}) can work with",
                        version_text(search.driver_cuda_version));
  if (complaints.empty()) throw Error(fmt::format("found no {}, in {}; {}", kind, where, install_advice));
  throw Error(fmt::format("found no {}, in {}: {}; {}", kind, where, fmt::join(complaints, "; "), install_advice));
}

}  // namespace

std::string NvrtcLibrary::name() const { return fmt::format("NVRTC {}.{}", major, minor); }

NvrtcSearch nvrtc_search() {
  NvrtcSearch search;
  search.setting = trusted_environment("ATTUNE_NVRTC").value_or("");
  search.driver_cuda_version = driver_cuda_version();
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  search.begins_at_executable = !error && is_environment_trusted();  // a link to the program may lie anywhere
  if (search.begins_at_executable) search.folders.push_back(executable.parent_path());
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const std::string root = trusted_environment(name).value_or(""); !root.empty()) {
      search.folders.push_back(fs::path(root) / "lib64");
      search.folders.push_back(fs::path(root) / "lib");  // conda
    }
  }
  search.folders.push_back("/usr/local/cuda/lib64");
  return search;
}

std::vector<std::string> nvrtc_candidates(const NvrtcSearch& search) {
  if (search.setting == "none") return {};
  std::error_code error;
  const bool folder_set = !search.setting.empty() && fs::is_directory(search.setting, error);
  if (!search.setting.empty() && !folder_set) return {search.setting};
  const int driver_major = search.driver_cuda_version / 1000;
  std::vector<std::string> files;
  for (const KnownLibrary& library : known_libraries) {
    if (driver_major != 0 && library.major > driver_major) continue;
    if (folder_set) {
      files.push_back((fs::path(search.setting) / library.file_name).string());
      continue;
    }
    for (const fs::path& folder : search.folders) files.push_back((folder / library.file_name).string());
    files.push_back(library.file_name);
  }
  return files;
}

NvrtcLibrary load_nvrtc(const NvrtcSearch& search) {
  if (search.setting == "none") {
    throw Error("no NVRTC: ATTUNE_NVRTC is `none`; unset it to search for one, or use the CPU: --device host");
  }
  std::vector<std::string> complaints;
  for (const std::string& file : nvrtc_candidates(search)) {
    LibraryAttempt result = attempt(file, search);
    if (result.library) return std::move(*result.library);
    if (!result.complaint.empty()) complaints.push_back(std::move(result.complaint));
  }
  // Only for the message: a newer NVRTC that was skipped explains more than "not found".
  if (search.setting.empty() && search.driver_cuda_version != 0) {
    NvrtcSearch unlimited = search;
    unlimited.driver_cuda_version = 0;
    for (const std::string& file : nvrtc_candidates(unlimited)) {
      LibraryAttempt result = attempt(file, search);
      if (!result.complaint.empty()) {
        complaints.push_back(std::move(result.complaint));
        break;
      }
    }
  }
  nothing_found(search, complaints);
}

const NvrtcLibrary& nvrtc() {
  static const NvrtcLibrary* const library = new NvrtcLibrary(load_nvrtc(nvrtc_search()));
  return *library;
}

}  // namespace attune::cuda
