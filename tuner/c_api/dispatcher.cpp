#include "attune/dispatcher.hpp"

#include <cstddef>
#include <cstring>
#include <vector>

#include "c_api/arguments.hpp"
#include "c_api/bundle.hpp"
#include "c_api/failures.hpp"
#include "c_api/handles.hpp"
#include "c_api/rungs.hpp"
#include "c_api/sized.hpp"

namespace attune::c_api {
namespace {

// The sizes in interface version 1.
constexpr std::size_t first_options_size = 9 * 8, first_statistics_size = (1 + ATTUNE_RUNGS + 7) * 8;
static_assert(offsetof(attune_dispatcher_options, deterministic_only) == first_options_size);
static_assert(offsetof(attune_statistics, from_bundle) == first_statistics_size);
static_assert(std::tuple_size_v<decltype(Statistics::plans)> <= ATTUNE_RUNGS);

const char* text_or(const char* text, const char* otherwise) { return text != nullptr ? text : otherwise; }

DispatcherOptions options_of(const attune_dispatcher_options& given) {
  const attune_dispatcher_options taken = options_from(given, first_options_size, "attune_dispatcher_options");
  DispatcherOptions options;
  options.device = text_or(taken.device, "");
  options.database = text_or(taken.database, "");
  options.cache = text_or(taken.cache, "");
  options.site_cache = text_or(taken.site_cache, "");
  options.regime = text_or(taken.regime, "cold");
  options.objective = text_or(taken.objective, "time");
  if (taken.warn != nullptr)
    options.warn = [warn = taken.warn, data = taken.warn_data](const std::string& message) {
      warn(message.c_str(), data);
    };
  options.deterministic_only = taken.deterministic_only != 0;
  options.site = text_or(taken.site, "");
  if (taken.wisdom_count > 0) refuse_null(taken.wisdom, "wisdom");
  for (std::size_t i = 0; i < taken.wisdom_count; ++i) options.wisdom.emplace_back(text_of(taken.wisdom[i], "wisdom"));
  options.agree = text_or(taken.agree, "");
  if (taken.image_limit != 0) options.image_limit = taken.image_limit;
  if (taken.scratch_limit != 0) options.scratch_limit = taken.scratch_limit;
  return options;
}

DispatcherOptions options_or_defaults(const attune_dispatcher_options* given) {
  return given != nullptr ? options_of(*given) : DispatcherOptions{};
}

attune_statistics statistics_of(const Dispatcher& dispatcher) {
  const Statistics known = dispatcher.statistics();
  attune_statistics given{};
  for (std::size_t i = 0; i < known.plans.size(); ++i) given.plans[c_rungs[i]] = known.plans[i];
  given.compiled = known.compiled;
  given.from_cache = known.from_cache;
  given.reused = known.reused;
  given.waited = known.waited;
  given.swaps = known.swaps;
  given.entries = known.entries;
  given.scratch_bytes = known.scratch_bytes;
  given.from_bundle = known.from_bundle;
  given.image_bytes = known.image_bytes;
  given.evicted_images = known.evicted_images;
  given.evicted_scratch = known.evicted_scratch;
  return given;
}

Dispatcher& dispatcher_of(const attune_dispatcher* handle) { return *known(handle, "dispatcher").dispatcher; }

}  // namespace
}  // namespace attune::c_api

using namespace attune::c_api;

attune_status attune_dispatcher_make(const attune_dispatcher_options* options, attune_dispatcher** dispatcher) {
  return guarded(__func__, [&] {
    attune_dispatcher*& output = cleared(dispatcher, "dispatcher");
    output = new attune_dispatcher{.dispatcher = std::make_shared<attune::Dispatcher>(options_or_defaults(options))};
  });
}

attune_status attune_dispatcher_from_bundle(const attune_bundle* bundle, const attune_dispatcher_options* options,
                                            attune_dispatcher** dispatcher) {
  return guarded(__func__, [&] {
    attune_dispatcher*& output = cleared(dispatcher, "dispatcher");
    const attune::Bundle& all = known(bundle, "bundle").bundle;
    output =
        new attune_dispatcher{.dispatcher = std::make_shared<attune::Dispatcher>(all, options_or_defaults(options))};
  });
}

attune_status attune_dispatcher_bundle(const attune_dispatcher* dispatcher, attune_bundle** bundle) {
  return guarded(__func__, [&] {
    attune_bundle*& output = cleared(bundle, "bundle");
    std::vector<std::byte> bytes = dispatcher_of(dispatcher).bundle();
    output = new attune_bundle{.bundle = attune::Bundle::owning(std::move(bytes), "the bundle of a dispatcher")};
  });
}

attune_status attune_dispatcher_add(attune_dispatcher* dispatcher, const attune_bundle* bundle) {
  return guarded(__func__, [&] { dispatcher_of(dispatcher).add(known(bundle, "bundle").bundle); });
}

attune_status attune_dispatcher_add_memory(attune_dispatcher* dispatcher, const void* bytes, size_t size,
                                           const char* name) {
  return guarded(__func__, [&] { dispatcher_of(dispatcher).add(bundle_from_memory(bytes, size, name)); });
}

attune_status attune_dispatcher_add_path(attune_dispatcher* dispatcher, const char* path) {
  return guarded(__func__, [&] { dispatcher_of(dispatcher).add(bundle_from_path(path)); });
}

attune_status attune_dispatcher_prepare(attune_dispatcher* dispatcher, const char* kernel,
                                        const attune_problem* problems, size_t count) {
  return guarded(__func__, [&] {
    attune::Dispatcher& gpu = dispatcher_of(dispatcher);
    const std::string name = text_of(kernel, "kernel");
    if (count > 0) refuse_null(problems, "problems");
    std::vector<attune::Problem> list;
    for (std::size_t i = 0; i < count; ++i) list.push_back(problem_from(problems[i]));
    gpu.prepare(name, list);
  });
}

attune_status attune_dispatcher_refresh(attune_dispatcher* dispatcher) {
  return guarded(__func__, [&] { dispatcher_of(dispatcher).refresh(); });
}

attune_status attune_dispatcher_trim(attune_dispatcher* dispatcher, uint64_t images, uint64_t scratch) {
  return guarded(__func__, [&] { dispatcher_of(dispatcher).trim({images, scratch}); });
}

attune_status attune_dispatcher_wait_for_background(attune_dispatcher* dispatcher) {
  return guarded(__func__, [&] { dispatcher_of(dispatcher).wait_for_background(); });
}

attune_status attune_dispatcher_synchronize(attune_dispatcher* dispatcher, void* stream) {
  return guarded(__func__, [&] { dispatcher_of(dispatcher).synchronize(static_cast<attune::StreamHandle>(stream)); });
}

attune_status attune_dispatcher_statistics(const attune_dispatcher* dispatcher, attune_statistics* statistics) {
  return guarded(__func__, [&] {
    const attune::Dispatcher& gpu = dispatcher_of(dispatcher);
    refuse_null(statistics, "statistics");
    give_result(statistics, statistics_of(gpu), first_statistics_size, "attune_statistics");
  });
}

attune_status attune_dispatcher_wisdom_digest(const attune_dispatcher* dispatcher, char* digest) {
  return guarded(__func__, [&] {
    refuse_null(digest, "digest");
    const std::string found = dispatcher_of(dispatcher).wisdom_digest();
    std::memcpy(digest, found.c_str(), found.size() + 1);
  });
}

void attune_dispatcher_destroy(attune_dispatcher* dispatcher) { destroy(dispatcher); }
