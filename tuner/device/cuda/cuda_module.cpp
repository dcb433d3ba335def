#include "device/cuda/cuda_module.hpp"

#include <fmt/format.h>

#include <mutex>
#include <utility>
#include <vector>

#include "device/cuda/cuda_status.hpp"
#include "device/cuda/operations.hpp"

namespace attune::cuda {
namespace {

struct UnloadModule {
  std::shared_ptr<const CudaContext> context;
  void operator()(CUmod_st* module) const {
    const UncapturedScope scope(*context);
    if (scope.result() == result_success) context->api().module_unload(module);
  }
};
using ModuleOwner = std::unique_ptr<CUmod_st, UnloadModule>;

Status refusal(Verdict verdict, std::string detail) { return {verdict, std::move(detail), false}; }

class CudaModule final : public Module {
 public:
  CudaModule(ModuleOwner module, std::vector<ImageFunction> functions)
      : module_(std::move(module)), functions_(std::move(functions)) {}

  FunctionHandle function(std::string_view expression, const LaunchShape& shape, Status& status) override {
    const UncapturedScope scope(context());
    status = status_of(api(), scope.result(), "making the device's context current");
    if (!status.ok()) return nullptr;
    CUfunc_st* found = find(expression, status);
    if (found == nullptr) return nullptr;
    status = fit_threads(found, expression, shape);
    if (status.ok()) status = fit_shared(found, expression, shape);
    if (status.ok()) status = fit_cluster(found, expression, shape);
    if (status.ok() && api().function_load != nullptr) {
      // Lazy loading would happen at the first launch: inside a measurement, or beside a kernel that never ends.
      status = status_of(api(), api().function_load(found), fmt::format("loading `{}`", expression));
    }
    return status.ok() ? found : nullptr;
  }

  Variable variable(std::string_view expression, Status& status) override {
    const UncapturedScope scope(context());
    status = status_of(api(), scope.result(), "making the device's context current");
    if (!status.ok()) return {};
    for (const ImageFunction& entry : functions_) {
      if (entry.expression != expression) continue;
      DeviceAddress address = 0;
      std::size_t bytes = 0;
      const DriverResult result = api().module_get_global(&address, &bytes, module_.get(), entry.symbol.c_str());
      status = status_of(api(), result, fmt::format("finding `{}` ({}) in its image", expression, entry.symbol));
      if (!status.ok() && !status.sticky) status.verdict = Verdict::load_error;
      return {reinterpret_cast<void*>(address), bytes};
    }
    status = refusal(Verdict::load_error, fmt::format("the image has no variable `{}`", expression));
    return {};
  }

 private:
  const CudaContext& context() const { return *module_.get_deleter().context; }
  const DriverApi& api() const { return context().api(); }

  CUfunc_st* find(std::string_view expression, Status& status) const {
    for (const ImageFunction& entry : functions_) {
      if (entry.expression != expression) continue;
      CUfunc_st* found = nullptr;
      const DriverResult result = api().module_get_function(&found, module_.get(), entry.symbol.c_str());
      status = status_of(api(), result, fmt::format("finding `{}` ({}) in its image", expression, entry.symbol));
      if (!status.ok()) status.verdict = status.sticky ? Verdict::fault : Verdict::load_error;
      return status.ok() ? found : nullptr;
    }
    status = refusal(Verdict::load_error, fmt::format("the image has no entry `{}`", expression));
    return nullptr;
  }

  Status attribute(CUfunc_st* of, FunctionAttribute which, int& value) const {
    return status_of(api(), api().function_get_attribute(&value, which, of), "reading the needs of a kernel");
  }

  Status fit_threads(CUfunc_st* of, std::string_view expression, const LaunchShape& shape) const {
    int limit = 0, registers = 0;
    if (Status status = attribute(of, function_max_threads_per_block, limit); !status.ok()) return status;
    const std::uint64_t threads = std::uint64_t{shape.block[0]} * shape.block[1] * shape.block[2];
    if (threads <= static_cast<std::uint64_t>(limit)) return {};
    if (Status status = attribute(of, function_registers, registers); !status.ok()) return status;
    return refusal(Verdict::resources,
                   fmt::format("`{}` is to run {} threads per block, but with {} registers per thread and its "
                               "launch bounds at most {} fit",
                               expression, threads, registers, limit));
  }

  // Raises the limit of dynamic shared memory where the launch needs it. Never lowers it: other plans may use this
  // function.
  Status fit_shared(CUfunc_st* of, std::string_view expression, const LaunchShape& shape) {
    const std::lock_guard lock(shared_limit_mutex_);
    int present = 0, fixed = 0, device_limit = 0;
    if (Status status = attribute(of, function_max_dynamic_shared, present); !status.ok()) return status;
    if (shape.shared_bytes <= static_cast<std::uint64_t>(present)) return {};
    if (Status status = attribute(of, function_shared_static, fixed); !status.ok()) return status;
    const DriverResult result =
        api().device_get_attribute(&device_limit, attribute_shared_per_block_optin, context().device());
    if (Status status = status_of(api(), result, "reading the shared memory limit"); !status.ok()) return status;
    if (shape.shared_bytes + static_cast<std::uint64_t>(fixed) > static_cast<std::uint64_t>(device_limit)) {
      return refusal(Verdict::resources,
                     fmt::format("`{}` needs {} bytes of dynamic and {} of static shared memory; the device has "
                                 "{} per block",
                                 expression, shape.shared_bytes, fixed, device_limit));
    }
    Status status = status_of(
        api(), api().function_set_attribute(of, function_max_dynamic_shared, static_cast<int>(shape.shared_bytes)),
        fmt::format("reserving {} bytes of dynamic shared memory for `{}`", shape.shared_bytes, expression));
    if (!status.ok() && !status.sticky) status.verdict = Verdict::resources;
    return status;
  }

  // The blocks of a cluster run at the same time, on neighbouring multiprocessors.
  Status fit_cluster(CUfunc_st* of, std::string_view expression, const LaunchShape& shape) const {
    if (shape.cluster_blocks() == 1) return {};
    if (api().launch_with == nullptr || api().most_clusters == nullptr)
      return refusal(Verdict::resources, fmt::format("`{}` is to run in clusters, which this driver (CUDA {}) does not "
                                                     "launch; update it",
                                                     expression, version_text(api().cuda_version)));
    int most = 0;
    const DriverResult result = api().most_clusters(&most, of, &ExtendedLaunch(shape, nullptr).config());
    Status status = status_of(api(), result, fmt::format("asking how many clusters of `{}` run at once", expression));
    if (!status.ok() && !status.sticky) status.verdict = Verdict::resources;
    if (status.ok() && most == 0)
      status = refusal(Verdict::resources, fmt::format("no cluster of {} blocks of `{}` has room on the device",
                                                       shape.cluster_blocks(), expression));
    return status;
  }

  ModuleOwner module_;
  std::vector<ImageFunction> functions_;
  std::mutex shared_limit_mutex_;
};

}  // namespace

LoadOutcome load_module(std::shared_ptr<const CudaContext> context, const Image& image) {
  if (image.code == nullptr || image.code->empty())
    return {refusal(Verdict::load_error, "the image has no code"), nullptr};
  const DriverApi& api = context->api();
  const UncapturedScope scope(*context);
  CUmod_st* module = nullptr;
  DriverResult result = scope.result();
  if (result == result_success) result = api.module_load(&module, image.code->data());
  if (result != result_success) {
    Status status =
        status_of(api, result, fmt::format("loading code for {} on cuda:{}", image.architecture, context->ordinal()));
    if (!status.sticky && status.verdict != Verdict::out_of_memory) status.verdict = Verdict::load_error;
    return {std::move(status), nullptr};
  }
  ModuleOwner owner(module, UnloadModule{std::move(context)});
  return {{}, std::make_shared<CudaModule>(std::move(owner), image.functions)};
}

}  // namespace attune::cuda
