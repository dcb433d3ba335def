// SourceText: the source of a kernel as the compiler sees it. A plain value.
#pragma once

#include <string>
#include <vector>

namespace attune {

struct Header {
  std::string name;  // as written in #include "..."
  std::string text;
};
struct SourceText {
  std::string name;             // shown in compiler messages: "transpose.cu"
  std::string text;             // with the front matter blanked, newlines kept
  std::vector<Header> headers;  // user headers reached by #include "...", transitively; not attune.cuh
};

}  // namespace attune
