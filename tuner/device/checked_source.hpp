// The checks of image requests, as source text for their compiler.
#pragma once

#include <fmt/format.h>

#include <set>
#include <span>
#include <string>

#include "attune_embedded/argument_checks.hpp"
#include "core/image.hpp"
#include "kernel/line_directive.hpp"

namespace attune {

// Returns the text to append to the source that the requests share: argument_checks.cuh and the requests' checks, or ""
// when no request has checks.
inline std::string checks_after_source(std::span<const ImageRequest* const> requests) {
  std::set<std::string> checks;
  for (const ImageRequest* const request : requests)
    if (!request->checks.empty()) checks.insert(request->checks);
  if (checks.empty()) return "";
  std::string text =
      fmt::format("\n{}{}\n", line_directive("argument_checks.cuh"), attune_embedded::argument_checks.text);
  for (const std::string& each : checks)  // each has lines of the kernel file, if there is such a file
    text += line_directive(requests.front()->source.name + (each.starts_with("#line") ? "" : ", [[launch]]")) + each;
  return text;
}

}  // namespace attune
