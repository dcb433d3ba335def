#include "vega_bundle.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "attune/error.hpp"
#include "base/regular_file.hpp"
#include "base/trusted_environment.hpp"

namespace attune::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_bundle_bytes = 16 << 20;  // today's has 0.9 MB

}  // namespace

std::optional<std::string> vega_bundle() {
  const std::optional<std::string> named = trusted_environment("ATTUNE_VEGA_BUNDLE");
  std::error_code unknown;
  const fs::path file =
      named ? fs::path(*named) : fs::read_symlink("/proc/self/exe", unknown).parent_path() / "../share/attune/vega.js";
  if (!named && !fs::exists(file, unknown)) return std::nullopt;
  FileText bundle = read_regular_file(file, most_bundle_bytes);
  if (bundle.why.empty() && bundle.text.empty()) bundle.why = "it is empty";
  for (const char* const end : {"</script", "</SCRIPT", "<!--"})
    if (bundle.text.find(end) != std::string::npos) bundle.why = fmt::format("a page cannot hold its `{}`", end);
  if (!bundle.why.empty())
    throw Error(fmt::format("cannot use {} for the pictures of reports: {}", file.string(), bundle.why));
  std::erase(bundle.text, '\r');  // as the browser does before it takes the digest
  return std::move(bundle.text);
}

}  // namespace attune::cli
