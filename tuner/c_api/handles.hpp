// Handles: what the opaque pointers of the C interface point to. Each handle shares ownership of what it needs, so that
// handles may be destroyed in any order.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>

#include "attune.h"
#include "attune/buffer.hpp"
#include "attune/bundle.hpp"
#include "attune/dispatcher.hpp"
#include "attune/error.hpp"
#include "attune/kernel.hpp"
#include "attune/plan.hpp"
#include "c_api/failures.hpp"

namespace attune::c_api {

// The first member of every handle, because languages without pointer types mix handles up.
enum class Tag : std::uint64_t {
  bundle = 0x656c646e75620001,
  dispatcher = 0x6863746170730002,
  kernel = 0x6c656e72656b0003,
  plan = 0x6e616c7000000004,
  buffer = 0x7265666675620005
};

}  // namespace attune::c_api

struct attune_bundle {
  static constexpr auto own_tag = attune::c_api::Tag::bundle;
  static constexpr const char* makers = "attune_bundle_from_memory() or attune_bundle_from_path()";
  const attune::c_api::Tag tag = own_tag;
  attune::Bundle bundle;
};

struct attune_dispatcher {
  static constexpr auto own_tag = attune::c_api::Tag::dispatcher;
  static constexpr const char* makers = "attune_dispatcher_make()";
  const attune::c_api::Tag tag = own_tag;
  std::shared_ptr<attune::Dispatcher> dispatcher;
};

struct attune_kernel {
  static constexpr auto own_tag = attune::c_api::Tag::kernel;
  static constexpr const char* makers = "attune_kernel_find()";
  const attune::c_api::Tag tag = own_tag;
  std::shared_ptr<attune::Dispatcher> dispatcher;  // destroyed after the kernel
  attune::Kernel kernel;
};

struct attune_plan {
  static constexpr auto own_tag = attune::c_api::Tag::plan;
  static constexpr const char* makers = "attune_plan_make()";
  const attune::c_api::Tag tag = own_tag;
  std::shared_ptr<attune::Dispatcher> dispatcher;  // destroyed after the plan
  attune::Plan plan;
  std::string configuration, problem;  // as texts
};

struct attune_buffer {
  static constexpr auto own_tag = attune::c_api::Tag::buffer;
  static constexpr const char* makers = "attune_buffer_make()";
  const attune::c_api::Tag tag = own_tag;
  attune::BufferMemory memory;  // keeps the device alive
};

namespace attune::c_api {

[[noreturn]] inline void refuse_handle(const char* what, const char* why, const char* makers) {
  throw UsageError(fmt::format("`{}` is {}; {} makes one", what, why, makers));
}

// Returns the handle. Throws UsageError if it is null or of another kind.
template <typename Handle>
Handle& known(Handle* handle, const char* what) {
  if (handle == nullptr) refuse_handle(what, "null", Handle::makers);
  if (handle->tag != Handle::own_tag) refuse_handle(what, "a handle of another kind", Handle::makers);
  return *handle;
}

// Deletes a handle. Does nothing for null and for a handle of another kind.
template <typename Handle>
void destroy(Handle* handle) noexcept {
  const Uncancelled whole;
  if (handle != nullptr && handle->tag == Handle::own_tag) delete handle;
}

}  // namespace attune::c_api
