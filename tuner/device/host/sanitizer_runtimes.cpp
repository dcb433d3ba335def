#include "device/host/sanitizer_runtimes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "attune/error.hpp"
#include "device/host/host_compiler_tool.hpp"

namespace attune {
namespace {

#if defined(__aarch64__)
constexpr const char* machine_name = "aarch64";
#else
constexpr const char* machine_name = "x86_64";
#endif

// Follows a linker script that some distributions have in the library's place: INPUT ( /usr/lib64/libasan.so.8.0.0 )
std::string behind_script(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string start(4, '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  if (start == "\177ELF") return path;
  file.clear();
  file.seekg(0);
  for (std::string word; file >> word;)
    if (word.starts_with("/") && word.find(".so") != std::string::npos) return word;
  return path;
}

// clang puts the machine into the name, or has a folder for each.
std::string clang_library(const HostTool& tool, const std::string& name) {
  const std::string path = library_of(tool, fmt::format("libclang_rt.{}-{}.so", name, machine_name));
  return path.empty() ? library_of(tool, fmt::format("libclang_rt.{}.so", name)) : path;
}

}  // namespace

std::vector<std::string> sanitizer_runtimes(const Sanitizers& sanitizers) {
  const HostTool tool = find_host_tool();
  std::vector<std::string> names, paths;
  if (tool.is_clang()) {
    // clang's runtime of AddressSanitizer includes UndefinedBehaviorSanitizer's.
    names = {sanitizers.address ? "asan" : "ubsan_standalone"};
    paths = {clang_library(tool, names.front())};
  } else {
    // AddressSanitizer comes first: it must intercept every function before others do.
    if (sanitizers.address) names.emplace_back("libasan.so");
    if (sanitizers.undefined) names.emplace_back("libubsan.so");
    for (const std::string& name : names) paths.push_back(library_of(tool, name));
  }
  const auto missing = std::find(paths.begin(), paths.end(), "");
  if (missing == paths.end()) {
    for (std::string& path : paths) path = behind_script(path);
    return paths;
  }
  const std::string& name = names[static_cast<std::size_t>(missing - paths.begin())];
  throw Error(fmt::format(
      "{} has no runtime of the sanitizers ({}); {}, or name another compiler in ATTUNE_HOST_CXX", tool.version, name,
      tool.is_clang()
          ? "install LLVM's compiler-rt (on Debian and Ubuntu it comes with the package clang, or libclang-rt-dev)"
          : "install it (on Debian and Ubuntu it comes with the package g++; on Fedora: libasan, libubsan)"));
}

}  // namespace attune
