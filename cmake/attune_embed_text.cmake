# attune_embed_text(target file [NAME name]): the text of a file becomes a constant of a library of attune. Generates the
# header "attune_embedded/NAME.hpp" with `attune_embedded::NAME`, an attune::EmbeddedFile, and puts it on the include
# path of `target`. NAME defaults to the file's stem, with '_' for characters that C++ does not allow.
# Headers of kernels (.cuh) lose their indentation and lines of comments, which only take room in a program.
set(ATTUNE_EMBED_TEXT_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/attune_embed_text_file.cmake" CACHE INTERNAL "")

function(attune_embed_text target file)
  cmake_parse_arguments(PARSE_ARGV 2 embed "" "NAME" "")
  get_filename_component(path "${file}" ABSOLUTE)
  get_filename_component(stem "${path}" NAME_WLE)
  if(embed_NAME)
    set(stem "${embed_NAME}")
  endif()
  string(MAKE_C_IDENTIFIER "${stem}" name)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}_embedded")
  set(header "${folder}/attune_embedded/${name}.hpp")
  add_custom_command(
    OUTPUT "${header}"
    COMMAND "${CMAKE_COMMAND}" "-DINPUT=${path}" "-DOUTPUT=${header}" "-DNAME=${name}" -P "${ATTUNE_EMBED_TEXT_SCRIPT}"
    DEPENDS "${path}" "${ATTUNE_EMBED_TEXT_SCRIPT}"
    COMMENT "Embedding ${file}"
    VERBATIM)
  target_sources(${target} PRIVATE "${header}")
  target_include_directories(${target} PRIVATE "${folder}")
endfunction()
