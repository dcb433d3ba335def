#include "session/expectation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/duration_text.hpp"

namespace attune {
namespace {

constexpr double long_seconds = 1;
constexpr double many = 200;  // a search that tries this many needs no warning

}  // namespace

std::string expectation_text(const Expectation& expectation) {
  const auto& [image_seconds, compilers, seconds, configurations] = expectation;
  if (image_seconds < long_seconds) return "";
  const std::string image = fmt::format("one image takes {} to compile", duration_text(image_seconds));
  const std::string at_once = compilers > 1 ? fmt::format(", {} at a time,", compilers) : "";
  if (!seconds) {
    const double all = configurations / compilers * image_seconds;
    return fmt::format("{}: all {:.6g} configurations{} take about {}", image, configurations, at_once,
                       duration_text(all));
  }
  const double about = std::max(1.0, std::floor(*seconds / image_seconds * compilers));
  if (about >= configurations || about >= many) return "";
  return fmt::format("{}: about {:.0f} of {:.6g} configurations{} in {}", image, about, configurations, at_once,
                     duration_text(*seconds));
}

}  // namespace attune
