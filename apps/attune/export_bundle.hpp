// A bundle of chosen kernels, with their wisdom and images: `attune export --format bundle`.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "bundle/kernel_pack.hpp"
#include "core/cover.hpp"
#include "core/record.hpp"

namespace attune::cli {

struct BundleTerms {
  std::span<const KernelPack> kernels;
  std::vector<Record> records;     // of any kernel: those of other code and contract are left out
  std::vector<Cover> covers = {};  // likewise
  bool has_images = true;
  std::vector<std::string> architectures = {}, problems = {};  // FillTerms
  std::string regime = "cold", objective = "time";
  std::filesystem::path cache = {};  // of images: looked in, and filled
};

struct ExportedBundle {
  std::vector<std::byte> bytes;
  std::string hash;
  std::int64_t kernels = 0, records = 0, images = 0;
  bool is_complete = true;  // false: an image failed, which was said
};

// Makes a kernel ready. The bundle names no folder of this machine, unless the kernel's options need it.
KernelPack pack_to_export(KernelSpec spec, const std::string& tune_target);

// Throws what fill_cache() does, and UsageError for a kernel that is named twice.
ExportedBundle exported_bundle(const BundleTerms& terms);

}  // namespace attune::cli
