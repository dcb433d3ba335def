# attune_embed(target file.cu [NAME name] [C] [WISDOM folder...]): a kernel becomes a constant of the program: its text, its headers, and what
# attune reads of them when the program is built. Generates the header "attune_embedded/NAME.hpp" with
# `attune_embedded::NAME`, an attune::EmbeddedBundle, and puts it on the include path of `target`. NAME defaults to the
# file's stem, with '_' for characters that C++ does not allow. The headers that the kernel includes by #include "..."
# are found beside it, as is the front matter that it includes, and it is made anew with them when they change.
# WISDOM: the constant also has the kernel's records of these tuned files, or folders of them (attune export --format tuned).
# C: generates "attune_embedded/NAME.h" instead, for C. It has the bytes `attune_embedded_NAME` and their number
# `attune_embedded_NAME_size`, for attune_dispatcher_add_memory().
function(attune_embed target file)
  cmake_parse_arguments(PARSE_ARGV 2 embed "C" "NAME;TUNE_TARGET" "WISDOM")
  if(embed_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "attune_embed(${target} ${file}): unknown arguments ${embed_UNPARSED_ARGUMENTS}; a kernel's "
                        "headers are found without being named")
  endif()
  get_filename_component(path "${file}" ABSOLUTE)
  get_filename_component(stem "${path}" NAME_WLE)
  if(NOT embed_TUNE_TARGET)
    get_filename_component(embed_TUNE_TARGET "${path}" NAME)
  endif()
  if(embed_NAME)
    set(stem "${embed_NAME}")
  endif()
  string(MAKE_C_IDENTIFIER "${stem}" name)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}_embedded")
  set(extension hpp)
  if(embed_C)
    set(extension h)
  endif()
  set(wisdom "")
  foreach(place IN LISTS embed_WISDOM)
    get_filename_component(place "${place}" ABSOLUTE)
    list(APPEND wisdom --wisdom "${place}")
  endforeach()
  set(header "${folder}/attune_embedded/${name}.${extension}")
  add_custom_command(
    OUTPUT "${header}"
    COMMAND attune::embedder "${path}" --name "${name}" --tune-target "${embed_TUNE_TARGET}" --output "${header}"
            ${wisdom} --depfile "${header}.d"
    DEPENDS "${path}" attune::embedder
    DEPFILE "${header}.d"
    COMMENT "Embedding ${file}"
    VERBATIM)
  target_sources(${target} PRIVATE "${header}")
  target_include_directories(${target} PRIVATE "${folder}")
endfunction()
