#include "attune/kernel_files.hpp"

#include "spec/kernel_file.hpp"
#include "spec/pack.hpp"

namespace attune {

Bundle kernel_file(const std::filesystem::path& file) {
  return Bundle::owning(bundle_of(make_pack(read_kernel_file(file), file.string())), file.string());
}

Bundle kernel_bundle(const KernelSpec& spec, std::string_view tune_target) {
  return Bundle::owning(bundle_of(make_pack(spec, std::string(tune_target))), std::string(tune_target));
}

}  // namespace attune
