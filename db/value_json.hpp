// Lists of values as JSON text, as the database stores them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/launch_shape.hpp"

namespace attune {

// Returns [1.5,2.25]; a sample that is not finite is null, which reads back as NaN.
std::string numbers_json(const std::vector<double>& numbers);
std::optional<std::vector<double>> numbers_from_json(std::string_view text);

// Returns [{"grid":[64,1,1],"block":[256,1,1],"shared":0}].
std::string shapes_json(const std::vector<LaunchShape>& shapes);
// Returns nothing for text that shapes_json() cannot have written.
std::optional<std::vector<LaunchShape>> shapes_from_json(std::string_view text);

}  // namespace attune
