// The fields of source text, for archives (base/archive.hpp).
#pragma once

#include "attune/source_text.hpp"
#include "base/archive.hpp"

namespace attune {

void fields(auto& a, Is<Header> auto& x) { a(x.name, x.text); }

void fields(auto& a, Is<SourceText> auto& x) { a(x.name, x.text, x.headers); }

}  // namespace attune
