# What applications link: attune::runtime (plans and launches) and attune::tuner (all).
add_library(attune_runtime INTERFACE)
target_link_libraries(attune_runtime INTERFACE attune_dispatch)
add_library(attune::runtime ALIAS attune_runtime)
add_library(attune_tuner INTERFACE)
target_link_libraries(attune_tuner INTERFACE attune_runtime attune_session)
add_library(attune::tuner ALIAS attune_tuner)
