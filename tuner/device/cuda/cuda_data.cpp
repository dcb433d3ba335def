#include "device/cuda/cuda_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "attune/error.hpp"
#include "attune_embedded/data_kernels.hpp"
#include "attune_embedded/data_ops.hpp"
#include "attune_embedded/data_result.hpp"
#include "core/type_table.hpp"
#include "device/cuda/data_result.hpp"
#include "device/data_ops.hpp"

namespace attune::cuda {
namespace {

constexpr std::uint32_t threads_per_block = 256;
// Enough to fill every multiprocessor at 256 threads; more blocks only add atomics.
constexpr std::uint32_t blocks_per_multiprocessor = 8;
constexpr std::size_t chunk_bytes = 16;  // that a thread of the byte kernels reads at once
constexpr std::size_t result_bytes = 256;
constexpr const char* typed_kernels[] = {"compare", "generate", "report_first"};
constexpr const char* byte_kernels[] = {"checksum", "count_differences", "count_other_bytes"};

// Element types whose names differ between data_ops.hpp and kernels.
std::string element_spelling(const TypeInfo& element) {
  if (element.name == "half") return "attune::data_ops::Half";
  if (element.name == "bfloat16") return "attune::data_ops::Bfloat16";
  return std::string(element.spelling);
}

// Returns "attune::compare<float>".
std::string entry_of(const char* name, std::string_view type) {
  if (type.empty()) return std::string("attune::") + name;
  std::string element = element_spelling(type_named(type_named(type).element));
  // Poisoned bytes are no bool: these are compared as bytes.
  if (element == "bool" && std::string_view(name) != "generate") element = "unsigned char";
  return std::string("attune::") + name + "<" + element + ">";
}

data_ops::FillPlan fill_plan(const Fill& fill, std::uint64_t seed, std::uint64_t count) {
  return {static_cast<int>(fill.kind),
          fill.full_range ? 1 : 0,
          fill.a,
          fill.b,
          fill.integer_a,
          fill.integer_b,
          seed,
          count};
}

}  // namespace

CudaData::~CudaData() {
  if (result_ != nullptr) device_.free(result_);
}

ImageRequest data_kernels_request(std::string_view type, std::string architecture) {
  ImageRequest request;
  request.source = {"data_kernels.cu",
                    std::string(attune_embedded::data_kernels.text),
                    {{"data_ops.hpp", std::string(attune_embedded::data_ops.text)},
                     {"data_result.hpp", std::string(attune_embedded::data_result.text)}}};
  if (type.empty()) {
    for (const char* name : byte_kernels) request.expressions.push_back(entry_of(name, type));
  } else {
    for (const char* name : typed_kernels) request.expressions.push_back(entry_of(name, type));
  }
  request.options = {"--fmad=false"};  // the same bits as on every other device
  request.architecture = std::move(architecture);
  return request;
}

const CudaData::Loaded& CudaData::loaded(std::string_view type) {
  if (const auto known = loaded_.find(type); known != loaded_.end()) return known->second;
  const ImageRequest request = data_kernels_request(type, device_.info().architecture());
  const CompileOutcome outcome = std::move(device_.compiler()->compile({&request, 1}).front());
  if (!outcome.image) {
    throw Error(
        fmt::format("attune's own kernels for {} do not compile for {}:\n{}", type, request.architecture, outcome.log));
  }
  LoadOutcome load = device_.load(*outcome.image);
  if (!load.status.ok()) throw Error(fmt::format("attune's own kernels: {}", load.status.detail));

  Loaded loading;
  const LaunchShape shape{{1, 1, 1}, {threads_per_block, 1, 1}, 0};
  const auto names =
      type.empty() ? std::span<const char* const>(byte_kernels) : std::span<const char* const>(typed_kernels);
  for (const char* name : names) {
    Status status;
    loading.functions[name] = load.module->function(entry_of(name, type), shape, status);
    if (!status.ok()) throw Error(fmt::format("attune's own kernels: {}", status.detail));
  }
  loading.module = std::move(load.module);
  if (result_ == nullptr) result_ = device_.allocate(result_bytes);
  return loaded_.emplace(type, std::move(loading)).first->second;
}

void CudaData::launch(FunctionHandle function, std::uint64_t items, std::initializer_list<const void*> parameters) {
  std::vector<void*> pointers;
  for (const void* parameter : parameters) pointers.push_back(const_cast<void*>(parameter));  // the driver only reads
  Operation operation;
  operation.function = function;
  const std::uint64_t wanted = (items + threads_per_block - 1) / threads_per_block;
  const std::uint64_t most = static_cast<std::uint64_t>(device_.info().multiprocessors) * blocks_per_multiprocessor;
  operation.shape.grid[0] = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(wanted, 1, most));
  operation.shape.block[0] = threads_per_block;
  operation.parameters = pointers.data();
  if (const Status status = device_.enqueue(operation, nullptr); !status.ok()) {
    throw Error(fmt::format("attune's own kernels: {}", status.detail));
  }
}

template <typename Outcome>
Outcome CudaData::collect(const std::function<void(void*)>& launches, const Outcome& initial) {
  static_assert(sizeof(Outcome) <= result_bytes);
  device_.copy_in(result_, &initial, sizeof initial, nullptr);
  launches(result_);
  Outcome outcome;
  device_.copy_out(&outcome, result_, sizeof outcome, nullptr);
  return outcome;
}

void CudaData::generate(void* target, std::string_view type, std::uint64_t count, const Fill& fill,
                        std::uint64_t seed) {
  const std::uint64_t elements = count * type_named(type).components;
  if (elements == 0) return;
  const data_ops::FillPlan plan = fill_plan(fill, seed, elements);
  launch(loaded(type).functions.at("generate"), elements, {&target, &elements, &plan});
  if (const Status status = device_.synchronize(nullptr); !status.ok()) {
    throw Error(fmt::format("filling {} elements of {}: {}", count, type, status.detail));
  }
}

Comparison CudaData::compare(const void* actual, const void* expected, std::string_view type, std::uint64_t count,
                             const Tolerance& tolerance) {
  if (count == 0) return {};
  const auto components = static_cast<unsigned>(type_named(type).components);
  const auto& functions = loaded(type).functions;
  const int allow_nonfinite = tolerance.allow_nonfinite ? 1 : 0;
  const auto launches = [&](void* result) {
    launch(functions.at("compare"), count,
           {&actual, &expected, &count, &components, &tolerance.absolute, &tolerance.relative, &allow_nonfinite,
            &result});
    launch(functions.at("report_first"), 1, {&actual, &expected, &result});
  };
  const auto sums = collect<ComparisonResult>(launches, {0, ~0ULL, 0, 0, 0, 0, 0, 0});
  Comparison comparison;
  comparison.mismatches = sums.mismatches;
  comparison.first = sums.mismatches == 0 ? 0 : sums.first;
  comparison.actual_at_first = sums.actual_at_first;
  comparison.expected_at_first = sums.expected_at_first;
  comparison.max_absolute = std::bit_cast<double>(sums.max_absolute_bits);
  comparison.max_relative = std::bit_cast<double>(sums.max_relative_bits);
  comparison.max_ulp = sums.max_ulp;
  comparison.nonfinite_expected = sums.nonfinite_expected;
  return comparison;
}

std::uint64_t CudaData::count_other_bytes(const void* memory, std::size_t bytes, int value, std::uint64_t& first) {
  first = 0;
  if (bytes == 0) return 0;
  const Loaded& kernels = loaded("");
  const auto launches = [&](void* result) {
    launch(kernels.functions.at("count_other_bytes"), (bytes + chunk_bytes - 1) / chunk_bytes,
           {&memory, &bytes, &value, &result});
  };
  const auto sums = collect<ByteCountResult>(launches, {0, ~0ULL});
  if (sums.others != 0) first = sums.first;
  return sums.others;
}

std::uint64_t CudaData::count_differences(const void* a, const void* b, std::size_t bytes) {
  if (bytes == 0) return 0;
  const Loaded& kernels = loaded("");
  const auto launches = [&](void* result) {
    launch(kernels.functions.at("count_differences"), (bytes + chunk_bytes - 1) / chunk_bytes,
           {&a, &b, &bytes, &result});
  };
  return collect<unsigned long long>(launches, 0);
}

std::uint64_t CudaData::checksum(const void* memory, std::size_t bytes) {
  if (bytes == 0) return 0;
  const Loaded& kernels = loaded("");
  const auto launches = [&](void* result) {
    launch(kernels.functions.at("checksum"), (bytes + chunk_bytes - 1) / chunk_bytes, {&memory, &bytes, &result});
  };
  return collect<unsigned long long>(launches, 0);
}

}  // namespace attune::cuda
