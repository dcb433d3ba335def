cmake_minimum_required(VERSION 3.25)
# cmake -DPROGRAM=quickstart -DSTRIP=strip -DWORK=folder -P static.cmake: how large a program with the static libraries is,
# without symbols. Without --gc-sections it would have 2.5 MB.
set(most_bytes 1750000)
file(MAKE_DIRECTORY "${WORK}")
set(stripped "${WORK}/program.stripped")
execute_process(COMMAND "${STRIP}" -o "${stripped}" "${PROGRAM}" COMMAND_ERROR_IS_FATAL ANY)
file(SIZE "${stripped}" bytes)
message(STATUS "${bytes} bytes")
if(bytes GREATER most_bytes)
  message(FATAL_ERROR "${PROGRAM} has ${bytes} bytes without symbols, more than ${most_bytes}")
endif()
