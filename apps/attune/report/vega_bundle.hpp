#pragma once
#include <optional>
#include <string>
namespace attune::cli {
std::optional<std::string> vega_bundle();
}
