#include "bundle/kernel_pack.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "attune/error.hpp"
#include "bundle/kernel_fields.hpp"
#include "bundle/versioned.hpp"

namespace attune {
namespace {

constexpr std::uint32_t pack_version = 1;

bool is_printed(const std::string& name) {
  return std::ranges::none_of(name, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

// Names appear in messages and in the text that compilers read, so that they must not contain control characters.
bool are_printed(const KernelPack& pack) {
  const auto all = [](const auto& named) {
    return std::ranges::all_of(named, [](const auto& one) { return is_printed(one.name); });
  };
  const KernelSpec& spec = pack.spec;
  return is_printed(spec.name) && is_printed(spec.source.name) && is_printed(pack.tune_target) && all(spec.problem) &&
         all(spec.parameters) && all(spec.arguments) && all(spec.source.headers);
}

}  // namespace

KernelSpec without_tuning(KernelSpec spec) {
  spec.prepare.clear();
  spec.reference.clear();
  spec.check = {};
  spec.argument_check.clear();
  spec.metrics = {};
  spec.ladders.clear();
  for (Argument& argument : spec.arguments) {
    argument.fill.reset();
    argument.restore = true;
  }
  return spec;
}

void add_kernel(BundleWriter& bundle, const KernelPack& pack) {
  if (!are_printed(pack))
    throw UsageError(
        fmt::format("the kernel {}: a name of it or of its file has control characters; rename it", pack.spec.name));
  bundle.add(SectionKind::kernel, section_key(pack.spec.name), encode(pack));
}

std::vector<std::byte> encode(const KernelPack& pack) { return encode_version(pack_version, pack); }

std::optional<KernelPack> decode_pack(std::span<const std::byte> bytes) {
  auto pack = decode_version<KernelPack>(pack_version, bytes);
  return pack && pack->fallbacks.size() <= most_fallbacks && are_printed(*pack) ? std::move(pack) : std::nullopt;
}

}  // namespace attune
