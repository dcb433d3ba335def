// The checks of image requests as text for their compiler.
#pragma once

#include <fmt/format.h>

#include <set>
#include <span>
#include <string>

#include "attune_embedded/argument_checks.hpp"
#include "core/image.hpp"
#include "device/line_directive.hpp"

namespace attune {

// Returns what follows the source, which the requests share: argument_checks.cuh and the checks. "" without checks.
inline std::string checks_after_source(std::span<const ImageRequest* const> requests) {
  std::set<std::string> checks;
  for (const ImageRequest* const request : requests)
    if (!request->checks.empty()) checks.insert(request->checks);
  if (checks.empty()) return "";
  std::string text =
      fmt::format("\n{}{}\n", line_directive("argument_checks.cuh"), attune_embedded::argument_checks.text);
  for (const std::string& each : checks)  // with lines of the kernel file, unless the kernel is from no file
    text += line_directive(requests.front()->source.name + (each.starts_with("#line") ? "" : ", [[launch]]")) + each;
  return text;
}

}  // namespace attune
