// Names of people and machines in logs: reports are mailed. Pure, but for the name of the user who asks.
#pragma once

#include <string>
#include <string_view>

namespace attune::cli {

// Returns a log without folders, and without the names of user and host. Of a path its last part stays; of a home
// folder nothing. Paths are texts that begin with `/`, `./`, `../` or `~/`, alone, in quotes, or behind `-I`, `-L`, `=`
// and `file://`; and relative ones that end as sources do (`.cu`, `.h`).
std::string without_names(std::string_view text, const std::string& host);

}  // namespace attune::cli
