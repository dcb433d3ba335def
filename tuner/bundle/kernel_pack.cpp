#include "bundle/kernel_pack.hpp"

#include "bundle/kernel_fields.hpp"
#include "bundle/versioned.hpp"

namespace attune {
namespace {

constexpr std::uint32_t pack_version = 1;

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
  bundle.add(SectionKind::kernel, section_key(pack.spec.name), encode(pack));
}

std::vector<std::byte> encode(const KernelPack& pack) { return encode_version(pack_version, pack); }

std::optional<KernelPack> decode_pack(std::span<const std::byte> bytes) {
  auto pack = decode_version<KernelPack>(pack_version, bytes);
  return pack && pack->fallbacks.size() <= most_fallbacks ? std::move(pack) : std::nullopt;
}

}  // namespace attune
