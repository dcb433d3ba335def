#include "attune/kernel.hpp"

#include "c_api/arguments.hpp"
#include "c_api/failures.hpp"
#include "c_api/handles.hpp"

using namespace attune::c_api;

attune_status attune_kernel_find(attune_dispatcher* dispatcher, const char* name, attune_policy policy,
                                 attune_kernel** kernel) {
  return guarded(__func__, [&] {
    attune_kernel*& output = cleared(kernel, "kernel");
    const std::shared_ptr<attune::Dispatcher>& gpu = known(dispatcher, "dispatcher").dispatcher;
    output = new attune_kernel{.dispatcher = gpu, .kernel = gpu->kernel(text_of(name, "name"), policy_from(policy))};
  });
}

attune_status attune_kernel_launch(const attune_kernel* kernel, void* stream, const attune_problem_value* values,
                                   size_t value_count, const attune_argument* arguments, size_t argument_count) {
  return guarded_launch(__func__, [&] {
    const attune_kernel& handle = known(kernel, "kernel");
    ValueList problem(value_count);
    take_values(values, value_count, problem);
    ArgumentList list(argument_count);
    take_arguments(arguments, argument_count, list);
    handle.kernel.launch_arguments(static_cast<attune::StreamHandle>(stream), problem.items(), list.items());
  });
}

void attune_kernel_destroy(attune_kernel* kernel) { destroy(kernel); }
