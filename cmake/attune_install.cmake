# Installation: the libraries of all layers, the public headers, the programs, and a package config, so that
# find_package(attune) gives attune::runtime and its companions, and attune_embed() (docs/dispatch.md).
include(CMakePackageConfigHelpers)
set(ATTUNE_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/attune")

set(ATTUNE_INSTALLED base core expression kernel bundle tuned space spec exports draft measure search score advice cover files db_reader db
    recordings imports device_cuda device_cuda_instruments device_host device_instruments device_replay device worker subject session
    dispatch database c_api
    pipeline kernel_files tuning builtin terminal)
list(TRANSFORM ATTUNE_INSTALLED PREPEND attune_)
install(TARGETS ${ATTUNE_INSTALLED} attune_bundle_runtime attune_runtime attune_tuner attune_cli EXPORT attune_export
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
# What needs no package of others stands apart: the component `shared`.
install(TARGETS attune-embed EXPORT attune_shared_export RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
if(TARGET attune_shared)
  install(TARGETS attune_shared EXPORT attune_shared_export LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(TARGETS attune_shared_host LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")  # linked by nobody
endif()
target_compile_features(attune_bundle_runtime INTERFACE cxx_std_20)
set_target_properties(attune_bundle_runtime PROPERTIES EXPORT_NAME bundle_runtime)
set_target_properties(attune_runtime PROPERTIES EXPORT_NAME runtime)
set_target_properties(attune_c_api PROPERTIES EXPORT_NAME c)
set_target_properties(attune_kernel_files PROPERTIES EXPORT_NAME kernel_files)
set_target_properties(attune_device_host PROPERTIES EXPORT_NAME host_device)
set_target_properties(attune-embed PROPERTIES EXPORT_NAME embedder)
set_target_properties(attune_pipeline PROPERTIES EXPORT_NAME pipeline)
set_target_properties(attune_tuner PROPERTIES EXPORT_NAME tuner)
set_target_properties(attune_cli PROPERTIES EXPORT_NAME cli)
install(EXPORT attune_export NAMESPACE attune:: FILE attune-targets.cmake DESTINATION "${ATTUNE_PACKAGE_DIR}")
install(EXPORT attune_shared_export NAMESPACE attune:: FILE attune-shared-targets.cmake
        DESTINATION "${ATTUNE_PACKAGE_DIR}")

get_property(include_folders GLOBAL PROPERTY ATTUNE_INCLUDE_FOLDERS)
foreach(folder IN LISTS include_folders)
  install(DIRECTORY "${folder}/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
endforeach()
foreach(header ${ATTUNE_BUILTIN_HEADERS})
  install(FILES kernels/${header}.cuh DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
endforeach()
install(TARGETS attune attune-score attune-worker RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")

# All that `cmake --install` needs, and no more.
add_custom_target(installable)
add_dependencies(installable ${ATTUNE_INSTALLED} attune_runtime attune_tuner attune_cli attune attune-score attune-worker attune-embed)
if(TARGET attune_shared)
  add_dependencies(installable attune_shared attune_shared_host)
endif()

configure_package_config_file(cmake/attune-config.cmake.in "${PROJECT_BINARY_DIR}/attune-config.cmake"
                              INSTALL_DESTINATION "${ATTUNE_PACKAGE_DIR}")
# 0.x: any minor version may change the interface.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/attune-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/attune-config.cmake" "${PROJECT_BINARY_DIR}/attune-config-version.cmake"
              cmake/attune_embed.cmake
        DESTINATION "${ATTUNE_PACKAGE_DIR}")
