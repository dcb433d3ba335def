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
function(build source folder)
  run("configuring ${folder}" "${CMAKE_COMMAND}" -S "${source}" -B "${WORK}/${folder}" -G "${GENERATOR}"
      "-DCMAKE_PREFIX_PATH=${WORK}/prefix" "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_FLAGS=${FLAGS}"
      "-DCMAKE_C_COMPILER=${C_COMPILER}" "-DCMAKE_C_FLAGS=${FLAGS}")
  run("building ${folder}" "${CMAKE_COMMAND}" --build "${WORK}/${folder}")
endfunction()
build("${SOURCE}" build)
foreach(program application application_without_database application_in_c application_with_tuner)
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
# The same programs on libattune.so, which has no host device: what it throws reaches them.
if(HAS_SHARED)
  build("${SOURCE}/../shared_library" build_shared)
  foreach(program application application_in_c)
    execute_process(COMMAND "${CMAKE_COMMAND}" -E env ATTUNE_DEVICE=host "${WORK}/build_shared/${program}"
                    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 1 OR NOT output MATCHES "^${program}: .*the device `host` is not in this program")
      message(FATAL_ERROR "${program} on libattune.so ended with ${result} and printed:\n${output}")
    endif()
  endforeach()
endif()
file(REMOVE_RECURSE "${WORK}")
