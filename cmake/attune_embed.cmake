# attune_embed(target file.cu): the text of a file becomes a constant of the program. Generates the header
# "attune_embedded/<stem>.hpp" with `attune_embedded::<stem>`, an attune::EmbeddedFile, and puts it on the include
# path of `target`. Characters of the stem that C++ does not allow in a name become '_'.
set(ATTUNE_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/attune_embed_file.cmake" CACHE INTERNAL "")

function(attune_embed target file)
  get_filename_component(path "${file}" ABSOLUTE)
  get_filename_component(stem "${path}" NAME_WLE)
  string(MAKE_C_IDENTIFIER "${stem}" name)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}_embedded")
  set(header "${folder}/attune_embedded/${name}.hpp")
  add_custom_command(
    OUTPUT "${header}"
    COMMAND "${CMAKE_COMMAND}" "-DINPUT=${path}" "-DOUTPUT=${header}" "-DNAME=${name}" -P "${ATTUNE_EMBED_SCRIPT}"
    DEPENDS "${path}" "${ATTUNE_EMBED_SCRIPT}"
    COMMENT "Embedding ${file}"
    VERBATIM)
  target_sources(${target} PRIVATE "${header}")
  target_include_directories(${target} PRIVATE "${folder}")
endfunction()
