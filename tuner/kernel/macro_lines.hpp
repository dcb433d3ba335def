// Puts the macros of a request into its source, as lines. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/image.hpp"

namespace attune {

// Returns the length of the lines with which a text of the source begins as far as they hold nothing but #include of
// headers that are not the kernel's own, `#pragma once` and comments. The last of them is an #include; 0 if
// there is none. These headers are parsed without the kernel's macros. Attune's own count, although a
// source brings them along.
std::size_t leading_includes(std::string_view text, const SourceText& source);

// Returns the source with a `#define` line for each macro behind its leading includes; behind those of its first header
// if the source begins with one, because a kernel file may be no more than an #include of a CUDA file. Where the source
// or one of its headers defines such a macro itself, the definition gets the macro's value. Lines keep their numbers in
// messages.
// `stop`: a line to put in front of the macros, "" for none. Without macros the source stays as it is.
SourceText with_macros(const SourceText& source, std::span<const Macro> macros, std::string_view stop = "");

}  // namespace attune
