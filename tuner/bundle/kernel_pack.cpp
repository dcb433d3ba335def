#include "bundle/kernel_pack.hpp"

#include "bundle/kernel_fields.hpp"

namespace attune {
namespace {

constexpr std::uint32_t pack_version = 2;

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

std::vector<std::byte> encode(const KernelPack& pack) {
  WriteArchive archive;
  archive(pack_version, pack);
  return archive.take();
}

std::optional<KernelPack> decode_pack(std::span<const std::byte> bytes) {
  ReadArchive archive(bytes);
  std::uint32_t version = 0;
  archive(version);
  if (version != pack_version) return std::nullopt;
  KernelPack pack;
  archive(pack);
  if (!archive.complete() || pack.fallbacks.size() > most_fallbacks) return std::nullopt;
  return pack;
}

}  // namespace attune
