# Installs the build into an empty prefix, then configures, builds and runs a fresh project against it.
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")

function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${what} failed (${result}):\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run("cmake --install" "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/prefix")
run("configuring the application" "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}/build" -G "${GENERATOR}"
    "-DCMAKE_PREFIX_PATH=${WORK}/prefix" "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_FLAGS=${FLAGS}" "-DCMAKE_C_COMPILER=${C_COMPILER}" "-DCMAKE_C_FLAGS=${FLAGS}")
run("building the application" "${CMAKE_COMMAND}" --build "${WORK}/build")
foreach(program application application_in_c application_with_tuner)
  run("${program}" "${CMAKE_COMMAND}" -E env ATTUNE_DEVICE=host "ATTUNE_CACHE=${WORK}/cache" "ATTUNE_DB=${WORK}/wisdom.db"
      "${WORK}/build/${program}")
  if(NOT output MATCHES "application: correct")
    message(FATAL_ERROR "${program} printed:\n${output}")
  endif()
endforeach()
run("command_line" "${WORK}/build/command_line" tune --strategy help)
if(NOT output MATCHES "theirs\n  another name for random")
  message(FATAL_ERROR "command_line printed:\n${output}")
endif()
file(REMOVE_RECURSE "${WORK}")
