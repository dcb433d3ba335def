# What applications link (docs/dispatch.md):
#   attune::runtime       plans and launches; built-in kernels that the program names
#   attune::bundle_runtime  the same without the wisdom database, so without SQLite: it knows what bundles say
#   attune::c             the same for C (attune.h)
#   attune::kernel_files  reads kernel files at run time
#   attune::host_device   kernels on the CPU
#   attune::pipeline      host memory, events, copies and graphs around plans
#   attune::tuner         all, tuning sessions included
add_library(attune_bundle_runtime INTERFACE)
target_link_libraries(attune_bundle_runtime INTERFACE attune_dispatch attune_builtin)
add_library(attune_runtime INTERFACE)
target_link_libraries(attune_runtime INTERFACE attune_bundle_runtime attune_database)
add_library(attune_tuner INTERFACE)
target_link_libraries(attune_tuner INTERFACE attune_runtime attune_kernel_files attune_device_host attune_pipeline attune_session attune_tuning)
# All of them link the dispatcher. Its layers have a section for each function (attune_layer), and the linker leaves out
# those that nothing uses. Symbols of other libraries are bound when a program starts, not by its first launch.
target_link_options(attune_dispatch INTERFACE LINKER:--gc-sections LINKER:-z,now)
add_library(attune::bundle_runtime ALIAS attune_bundle_runtime)
add_library(attune::runtime ALIAS attune_runtime)
add_library(attune::c ALIAS attune_c_api)
add_library(attune::kernel_files ALIAS attune_kernel_files)
add_library(attune::host_device ALIAS attune_device_host)
add_library(attune::pipeline ALIAS attune_pipeline)
add_library(attune::tuner ALIAS attune_tuner)
