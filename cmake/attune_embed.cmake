# attune_embed(target file.cu [NAME name] [HEADERS header.cuh ...]): the text of a file becomes a constant of the program.
# Generates the header "attune_embedded/NAME.hpp" with `attune_embedded::NAME`, an attune::EmbeddedFile, and puts it on
# the include path of `target`. NAME defaults to the file's stem, with '_' for characters that C++ does not allow.
# HEADERS are those that the file includes, directly or not, as its #include lines name them.
set(ATTUNE_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/attune_embed_file.cmake" CACHE INTERNAL "")

function(attune_embed target file)
  cmake_parse_arguments(PARSE_ARGV 2 embed "" "NAME" "HEADERS")
  if(embed_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "attune_embed(${target} ${file}): unknown arguments ${embed_UNPARSED_ARGUMENTS}; "
                        "headers follow the word HEADERS")
  endif()
  get_filename_component(path "${file}" ABSOLUTE)
  get_filename_component(stem "${path}" NAME_WLE)
  if(embed_NAME)
    set(stem "${embed_NAME}")
  endif()
  string(MAKE_C_IDENTIFIER "${stem}" name)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}_embedded")
  set(header "${folder}/attune_embedded/${name}.hpp")
  get_filename_component(place "${path}" DIRECTORY)
  set(header_paths ${embed_HEADERS})
  list(TRANSFORM header_paths PREPEND "${place}/")
  add_custom_command(
    OUTPUT "${header}"
    COMMAND "${CMAKE_COMMAND}" "-DINPUT=${path}" "-DOUTPUT=${header}" "-DNAME=${name}" "-DHEADERS=${embed_HEADERS}"
            -P "${ATTUNE_EMBED_SCRIPT}"
    DEPENDS "${path}" ${header_paths} "${ATTUNE_EMBED_SCRIPT}"
    COMMENT "Embedding ${file}"
    VERBATIM)
  target_sources(${target} PRIVATE "${header}")
  target_include_directories(${target} PRIVATE "${folder}")
endfunction()
