#include "spec/pack.hpp"

#include <utility>

#include "attune/bundle.hpp"
#include "space/fallbacks.hpp"

namespace attune {

KernelPack make_pack(KernelSpec spec, std::string tune_target) {
  std::vector<Configuration> fallbacks = fallback_configurations(spec, most_fallbacks);
  return {without_tuning(std::move(spec)), std::move(tune_target), std::move(fallbacks)};
}

std::vector<std::byte> bundle_of(const KernelPack& pack) {
  BundleWriter writer;
  add_kernel(writer, pack);
  return writer.finish();
}

}  // namespace attune
