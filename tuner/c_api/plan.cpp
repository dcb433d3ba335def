#include "attune/plan.hpp"

#include "c_api/arguments.hpp"
#include "c_api/failures.hpp"
#include "c_api/handles.hpp"
#include "c_api/rungs.hpp"
#include "c_api/sized.hpp"

namespace attune::c_api {
namespace {

constexpr std::size_t first_match_size = 7 * 8;  // in interface version 1
static_assert(offsetof(attune_match, default_failure) == first_match_size);

}  // namespace
}  // namespace attune::c_api

using namespace attune::c_api;

attune_status attune_plan_make(attune_dispatcher* dispatcher, const char* kernel, const attune_problem* problem,
                               attune_policy policy, attune_plan** plan) {
  return guarded(__func__, [&] {
    attune_plan*& output = cleared(plan, "plan");
    const std::shared_ptr<attune::Dispatcher>& gpu = known(dispatcher, "dispatcher").dispatcher;
    const attune::Problem wanted = problem != nullptr ? problem_from(*problem) : attune::Problem{};
    attune::Plan made = gpu->plan(text_of(kernel, "kernel"), wanted, policy_from(policy));
    std::string configuration = made.configuration().text(), text = made.problem().text();
    output = new attune_plan{.dispatcher = gpu,
                             .plan = std::move(made),
                             .configuration = std::move(configuration),
                             .problem = std::move(text)};
  });
}

attune_status attune_plan_launch(const attune_plan* plan, void* stream, const attune_argument* arguments,
                                 size_t count) {
  return guarded_launch(__func__, [&] {
    const attune_plan& handle = known(plan, "plan");
    ArgumentList list(count);
    take_arguments(arguments, count, list);
    handle.plan.launch_arguments(static_cast<attune::StreamHandle>(stream), list.items());
  });
}

attune_status attune_plan_match(const attune_plan* plan, attune_match* match) {
  return guarded(__func__, [&] {
    const attune_plan& handle = known(plan, "plan");
    refuse_null(match, "match");
    const attune::Match& of = handle.plan.match();
    give_result(match,
                attune_match{.size = 0,
                             .rung = rung_of(of.rung),
                             .configuration = handle.configuration.c_str(),
                             .why = of.why.c_str(),
                             .problem = handle.problem.c_str(),
                             .record_problem = of.record_problem.c_str(),
                             .speedup = of.speedup,
                             .default_failure = of.default_failure.data(),
                             .source = of.source.c_str()},
                first_match_size, "attune_match");
  });
}

attune_status attune_plan_refresh_symbols(const attune_plan* plan) {
  return guarded(__func__, [&] { known(plan, "plan").plan.refresh_symbols(); });
}

void attune_plan_destroy(attune_plan* plan) { destroy(plan); }
