# The JavaScript that draws the pictures of reports: share/attune/vega.js of the build folder, which is installed. The
# program finds it there, beside its own folder. A build without it is complete, and its reports say what is missing.
set(from_the_index "index")
if(NOT PROJECT_IS_TOP_LEVEL)
  set(from_the_index "OFF")
endif()
set(ATTUNE_VEGA_BUNDLE "${from_the_index}" CACHE STRING
    "JavaScript of Vega, Vega-Lite and vega-embed: a file; `index`: out of the Python package index; OFF")
set(ATTUNE_VEGA_FOLDER "${PROJECT_BINARY_DIR}/share/attune")
set(bundle "${ATTUNE_VEGA_FOLDER}/vega.js")

if(ATTUNE_VEGA_BUNDLE STREQUAL "index")
  find_package(Python3 3.8 COMPONENTS Interpreter)
  set(requirements "${CMAKE_CURRENT_LIST_DIR}/vega_bundle_requirements.txt")
  set(script "${CMAKE_CURRENT_LIST_DIR}/attune_vega_bundle_file.cmake")
  set(fetch "${CMAKE_COMMAND}" "-DPYTHON=${Python3_EXECUTABLE}" "-DREQUIREMENTS=${requirements}" "-DOUTPUT=${bundle}")
  # Tried once: a build without a network is not held up each time.
  add_custom_command(OUTPUT "${ATTUNE_VEGA_FOLDER}/vega.tried" COMMAND ${fetch} -P "${script}"
                     DEPENDS "${requirements}" "${script}" COMMENT "Getting Vega-Lite for the pictures of reports" VERBATIM)
  add_custom_target(attune_vega ALL DEPENDS "${ATTUNE_VEGA_FOLDER}/vega.tried")
  # Tries again, and fails if that fails.
  add_custom_target(vega_bundle COMMAND ${fetch} -DREQUIRED=ON -P "${script}" VERBATIM)
  add_dependencies(vega_bundle attune_vega)
elseif(ATTUNE_VEGA_BUNDLE)
  get_filename_component(file "${ATTUNE_VEGA_BUNDLE}" ABSOLUTE)
  if(NOT EXISTS "${file}")
    message(FATAL_ERROR "ATTUNE_VEGA_BUNDLE names ${file}, which does not exist")
  endif()
  add_custom_command(OUTPUT "${bundle}" COMMAND "${CMAKE_COMMAND}" -E rm -f "${ATTUNE_VEGA_FOLDER}/vega.tried"
                     COMMAND "${CMAKE_COMMAND}" -E copy "${file}" "${bundle}" DEPENDS "${file}" VERBATIM)
  add_custom_target(attune_vega ALL DEPENDS "${bundle}")
else()
  add_custom_target(attune_vega ALL COMMAND "${CMAKE_COMMAND}" -E rm -rf "${ATTUNE_VEGA_FOLDER}" VERBATIM)
endif()
add_dependencies(installable attune_vega)

install(FILES "${bundle}" DESTINATION "${CMAKE_INSTALL_DATADIR}/attune" OPTIONAL)
install(FILES apps/attune/report/notices.txt DESTINATION "${CMAKE_INSTALL_DATADIR}/attune" RENAME vega_notices.txt)
