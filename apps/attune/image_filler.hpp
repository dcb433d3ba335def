// Filling a cache with images that applications will ask for: `attune prepare` and `attune export --format bundle`.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/enum_texts.hpp"
#include "bundle/kernel_pack.hpp"
#include "core/record.hpp"
#include "files/image_cache.hpp"
#include "prepared_images.hpp"

namespace attune::cli {

enum class FillStatus { compiled, there, failed };
inline constexpr EnumTexts<FillStatus> fill_words("compiled", "there", "failed");

struct FillTerms {
  std::span<const KernelPack> kernels;
  std::span<const Record> records;
  std::span<const Cover> covers;
  std::vector<std::string> architectures;  // "sm_90", "host"; none: those that the kernels have records of
  std::vector<std::string> problems;       // of every kernel, besides those with records; as text
  std::string regime = "cold", objective = "time";
};

struct FillResult {
  std::vector<PreparedImage> images;                           // compiled, or there
  std::array<std::int64_t, enum_size<FillStatus>()> counts{};  // by FillStatus
};

// `detail`: of a failure.
using ShowImage =
    std::function<void(const PreparedImage&, const std::string& architecture, FillStatus, const std::string& detail)>;

// Compiles what is absent, on all cores. Says on standard error which records have no image, and why. Throws UsageError
// for an unknown architecture, for a problem that is none of a kernel, and where no architecture is given or known.
FillResult fill_cache(ImageCache& cache, const FillTerms& terms, const ShowImage& show);

}  // namespace attune::cli
