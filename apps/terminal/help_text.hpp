// Lays out the text of programs in lines that fit, broken only between words.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <cstddef>
#include <string>
#include <string_view>

namespace attune::cli {

// Returns how wide the terminal of standard output is; 80 where it does not say.
std::size_t terminal_columns();
// Returns how wide lines of text may be: as wide as the terminal of standard output, within limits that read well; 80
// where it does not say.
std::size_t output_columns();

// Returns how many columns a text of UTF-8 takes, at one per character.
std::size_t columns_of(std::string_view text);
// Returns the beginning of the text, at most `columns` columns wide.
std::string first_columns(std::string_view text, std::size_t columns);

// Returns the text in lines of at most `columns` columns; a longer word has a line of its own. The first line begins at
// column `indent`, and so does each further line. Line ends of the text stay.
std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent);

// Returns one entry for each option, "  -p, --problem PROBLEM   what it is", with a line end.
std::string options_text(const boost::program_options::options_description& options, std::size_t columns);

// Returns lines that are examples, "  attune list   # what is known", or paragraphs of prose. An example that is too
// long has its comment above it, and continues on further lines in a form that a shell accepts.
std::string examples_text(std::string_view examples, std::size_t columns);

}  // namespace attune::cli
