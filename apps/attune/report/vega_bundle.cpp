#include "report/vega_bundle.hpp"
namespace attune::cli {
std::optional<std::string> vega_bundle() { return std::nullopt; }
}  // namespace attune::cli
