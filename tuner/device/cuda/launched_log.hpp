// The part of a compiler's log that is about entries which will be launched. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/image.hpp"

namespace attune::cuda {

// Returns the log without the lines about entries that are not among `functions`: a source may have more entries, which
// are compiled, too. Lines about functions that entries call stay.
std::string launched_log(std::string_view log, std::span<const ImageFunction> functions);

}  // namespace attune::cuda
