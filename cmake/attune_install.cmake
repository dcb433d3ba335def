# Installation: the libraries of all layers, the public headers, the programs, and a package config, so that
# find_package(attune) gives attune::runtime, attune::tuner, attune::cli and attune_embed() (docs/dispatch.md).
include(CMakePackageConfigHelpers)
set(ATTUNE_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/attune")

set(ATTUNE_INSTALLED core expression kernel space spec exports measure search score db recordings device_cuda device_host device worker session dispatch)
list(TRANSFORM ATTUNE_INSTALLED PREPEND attune_)
install(TARGETS ${ATTUNE_INSTALLED} attune_runtime attune_tuner attune_cli EXPORT attune_export
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
target_compile_features(attune_runtime INTERFACE cxx_std_20)
set_target_properties(attune_runtime PROPERTIES EXPORT_NAME runtime)
set_target_properties(attune_tuner PROPERTIES EXPORT_NAME tuner)
set_target_properties(attune_cli PROPERTIES EXPORT_NAME cli)
install(EXPORT attune_export NAMESPACE attune:: FILE attune-targets.cmake DESTINATION "${ATTUNE_PACKAGE_DIR}")

install(DIRECTORY tuner/include/attune DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp")
foreach(header ${ATTUNE_BUILTIN_HEADERS})
  install(FILES kernels/${header}.cuh DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
endforeach()
install(TARGETS attune attune-score RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")

# All that `cmake --install` needs, and no more.
add_custom_target(installable)
add_dependencies(installable ${ATTUNE_INSTALLED} attune_runtime attune_tuner attune_cli attune attune-score)

configure_package_config_file(cmake/attune-config.cmake.in "${PROJECT_BINARY_DIR}/attune-config.cmake"
                              INSTALL_DESTINATION "${ATTUNE_PACKAGE_DIR}")
# 0.x: any minor version may change the interface.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/attune-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/attune-config.cmake" "${PROJECT_BINARY_DIR}/attune-config-version.cmake"
              cmake/attune_embed.cmake cmake/attune_embed_file.cmake
        DESTINATION "${ATTUNE_PACKAGE_DIR}")
