# Run by attune_embed_text() at build time: INPUT -> OUTPUT, a header that defines attune_embedded::NAME. The text has no
# indentation and no lines of comments, which only take room in a program; its lines keep their numbers. The text stands in raw string literals of at most 8,000 characters, far below every compiler's limit.
function(read_literals file result)
  file(READ "${file}" text)
  string(REGEX REPLACE "\n +" "\n" text "\n${text}")
  string(REGEX REPLACE "\n//[^\n]*" "\n" text "${text}")
  string(SUBSTRING "${text}" 1 -1 text)
  if(text MATCHES "\\)attune_text\"")
    message(FATAL_ERROR "${file} holds the delimiter that embedded text ends with")
  endif()
  string(LENGTH "${text}" length)
  set(pieces "R\"attune_text()attune_text\"\n")
  set(position 0)
  while(position LESS length)
    string(SUBSTRING "${text}" ${position} 8000 piece)
    string(APPEND pieces "R\"attune_text(${piece})attune_text\"\n")
    math(EXPR position "${position} + 8000")
  endwhile()
  set(${result} "${pieces}" PARENT_SCOPE)
  string(SHA256 digest "${text}")
  set(digest "${digest}" PARENT_SCOPE)
endfunction()

get_filename_component(file_name "${INPUT}" NAME)
read_literals("${INPUT}" text)
file(WRITE "${OUTPUT}" "// Generated from ${file_name}.
#pragma once
#include \"base/embedded_file.hpp\"
namespace attune_embedded {
inline constexpr attune::EmbeddedFile ${NAME}{\"${file_name}\", ${text}, \"${digest}\"};
}
")
