// The part of a compiler's log that is about what will be launched. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/image.hpp"

namespace attune::cuda {

// Returns the log without the lines on entries that are none of `functions`: a source may have more of them, which are
// compiled too. Lines on functions that entries call stay.
std::string launched_log(std::string_view log, std::span<const ImageFunction> functions);

}  // namespace attune::cuda
