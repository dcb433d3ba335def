#include "device/cuda/cuda_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "attune/error.hpp"
#include "attune_embedded/data_kernels.hpp"
#include "attune_embedded/data_ops.hpp"
#include "attune_embedded/data_result.hpp"
#include "core/type_table.hpp"
#include "device/cuda/data_result.hpp"
#include "device/data_ops.hpp"
#include "kernel/zipf.hpp"

namespace attune::cuda {
namespace {

constexpr std::uint32_t threads_per_block = 256;
// Enough to fill every multiprocessor at 256 threads; more blocks only add atomics.
constexpr std::uint32_t blocks_per_multiprocessor = 8;
constexpr std::size_t chunk_bytes = 16;  // read at once by a thread of the byte kernels
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
  // A poisoned byte is not a valid bool, so elements of bool are compared as bytes.
  if (element == "bool" && std::string_view(name) != "generate") element = "unsigned char";
  return std::string("attune::") + name + "<" + element + ">";
}

data_ops::FillPlan fill_plan(const FillValues& fill, std::uint64_t seed, std::uint64_t count, void* thresholds) {
  return {static_cast<int>(fill.kind),
          fill.full_range ? 1 : 0,
          fill.a,
          fill.b,
          fill.integer_a,
          fill.integer_b,
          seed,
          count,
          static_cast<const data_ops::u64*>(thresholds)};
}

std::uint64_t chunks_of(std::uint64_t bytes) { return (bytes + chunk_bytes - 1) / chunk_bytes; }

InspectionFinding found_by(const Inspection& inspection, const InspectionResult& result) {
  InspectionFinding found;
  if (!std::holds_alternative<CompareElements>(inspection)) {
    found.count = found.sum = result.count;
    found.first = result.first_inverted == 0 ? 0 : ~result.first_inverted;
    return found;
  }
  Comparison& comparison = found.comparison;
  comparison.mismatches = result.count;
  comparison.first = result.first_inverted == 0 ? 0 : ~result.first_inverted;
  comparison.actual_at_first = result.actual_at_first;
  comparison.expected_at_first = result.expected_at_first;
  comparison.max_absolute = std::bit_cast<double>(result.max_absolute_bits);
  comparison.max_relative = std::bit_cast<double>(result.max_relative_bits);
  comparison.max_share = std::bit_cast<double>(result.max_share_bits);
  comparison.max_ulp = result.max_ulp;
  comparison.nonfinite_expected = result.nonfinite_expected;
  return found;
}

}  // namespace

CudaData::~CudaData() {
  if (results_ != nullptr) device_.free(results_);
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

const CudaData::LoadedModule& CudaData::loaded(std::string_view type) {
  if (const auto known = loaded_.find(type); known != loaded_.end()) return known->second;
  const ImageRequest request = data_kernels_request(type, device_.info().architecture());
  const CompileOutcome outcome = std::move(device_.compiler()->compile({&request, 1}).front());
  if (!outcome.image) {
    throw Error(
        fmt::format("attune's own kernels for {} do not compile for {}:\n{}", type, request.architecture, outcome.log));
  }
  LoadOutcome load = device_.load(*outcome.image);
  if (!load.status.ok()) throw Error(fmt::format("attune's own kernels: {}", load.status.detail));

  LoadedModule loading;
  const LaunchShape shape{{1, 1, 1}, {threads_per_block, 1, 1}, 0};
  const auto names =
      type.empty() ? std::span<const char* const>(byte_kernels) : std::span<const char* const>(typed_kernels);
  for (const char* name : names) {
    Status status;
    loading.functions[name] = load.module->function(entry_of(name, type), shape, status);
    if (!status.ok()) throw Error(fmt::format("attune's own kernels: {}", status.detail));
  }
  loading.module = std::move(load.module);
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

void CudaData::generate(void* target, std::string_view type, std::uint64_t count, const FillValues& fill,
                        std::uint64_t seed) {
  const std::uint64_t elements = count * type_named(type).components;
  if (elements == 0) return;
  const auto free = [this](void* memory) { device_.free(memory); };
  std::unique_ptr<void, decltype(free)> table(nullptr, free);
  if (fill.kind == FillKind::zipf) {
    const std::vector<std::uint64_t> thresholds = zipf_thresholds(fill.a, fill.integer_b);
    table.reset(device_.allocate(thresholds.size() * sizeof(std::uint64_t)));
    device_.copy_in(table.get(), thresholds.data(), thresholds.size() * sizeof(std::uint64_t), nullptr);
  }
  const data_ops::FillPlan plan = fill_plan(fill, seed, elements, table.get());
  launch(loaded(type).functions.at("generate"), elements, {&target, &elements, &plan});
  if (const Status status = device_.synchronize(nullptr); !status.ok()) {
    throw Error(fmt::format("filling {} elements of {}: {}", count, type, status.detail));
  }
}

std::vector<InspectionFinding> CudaData::inspect(std::span<const Inspection> inspections) {
  if (inspections.empty()) return {};
  make_room(inspections.size());
  Operation clear;
  clear.kind = Operation::Kind::memset;
  clear.target = results_;
  clear.bytes = inspections.size() * sizeof(InspectionResult);
  if (const Status status = device_.enqueue(clear, nullptr); !status.ok())
    throw Error(fmt::format("attune's own kernels: {}", status.detail));
  for (std::size_t i = 0; i < inspections.size(); ++i) {
    InspectionResult* const result = static_cast<InspectionResult*>(results_) + i;
    std::visit([&](const auto& what) { enqueue(what, result); }, inspections[i]);
  }
  std::vector<InspectionResult> results(inspections.size());
  device_.copy_out(results.data(), results_, clear.bytes, nullptr);
  std::vector<InspectionFinding> found;
  for (std::size_t i = 0; i < results.size(); ++i) found.push_back(found_by(inspections[i], results[i]));
  return found;
}

void CudaData::make_room(std::size_t results) {
  if (results <= room_) return;
  if (results_ != nullptr) device_.free(std::exchange(results_, nullptr));
  room_ = 0;
  results_ = device_.allocate(results * sizeof(InspectionResult));
  room_ = results;
}

void CudaData::enqueue(const CompareElements& what, void* result) {
  if (what.count == 0) return;
  const auto components = static_cast<unsigned>(type_named(what.type).components);
  const auto& functions = loaded(what.type).functions;
  const int allow_nonfinite = what.tolerance.allow_nonfinite ? 1 : 0;
  launch(functions.at("compare"), what.count,
         {&what.actual, &what.expected, &what.count, &components, &what.tolerance.absolute, &what.tolerance.relative,
          &allow_nonfinite, &result});
  launch(functions.at("report_first"), 1, {&what.actual, &what.expected, &result});
}

void CudaData::enqueue(const CountDifferences& what, void* result) {
  if (what.bytes == 0) return;
  launch(loaded("").functions.at("count_differences"), chunks_of(what.bytes), {&what.a, &what.b, &what.bytes, &result});
}

void CudaData::enqueue(const CountOtherBytes& what, void* result) {
  if (what.bytes == 0) return;
  launch(loaded("").functions.at("count_other_bytes"), chunks_of(what.bytes),
         {&what.memory, &what.bytes, &what.value, &result});
}

void CudaData::enqueue(const Checksum& what, void* result) {
  if (what.bytes == 0) return;
  launch(loaded("").functions.at("checksum"), chunks_of(what.bytes), {&what.memory, &what.bytes, &result});
}

}  // namespace attune::cuda
