// The JavaScript of Vega, Vega-Lite and vega-embed, which reports carry. It is a file beside the program, since the
// Python package index has it and this repository has not.
#pragma once

#include <optional>
#include <string>

namespace attune::cli {

// Returns the file that $ATTUNE_VEGA_BUNDLE names, else ../share/attune/vega.js beside the program's folder; nothing if
// there is neither. Throws Error for a named file that cannot be read, and for one that would end the <script> element.
std::optional<std::string> vega_bundle();

}  // namespace attune::cli
