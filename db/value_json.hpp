// Lists of values as JSON text, in the form that the database stores. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/board_result.hpp"
#include "core/launch_shape.hpp"

namespace attune {

// Returns a text such as [1.5,2.25]. A number that is not finite becomes null, which reads back as NaN.
std::string numbers_json(const std::vector<double>& numbers);
std::optional<std::vector<double>> numbers_from_json(std::string_view text);

// Returns a text such as [{"grid":[64,1,1],"block":[256,1,1],"shared":0}].
std::string shapes_json(const std::vector<LaunchShape>& shapes);
// Returns nothing for text that shapes_json() cannot have written.
std::optional<std::vector<LaunchShape>> shapes_from_json(std::string_view text);

// Returns a text such as [{"uuid":"GPU-1234","rounds":12,"median_ns":12345.5,"speedup":1.875}].
std::string boards_json(const std::vector<BoardResult>& boards);
// Returns nothing for text that is no list of boards with all of their members, or whose numbers are below 0.
std::optional<std::vector<BoardResult>> boards_from_json(std::string_view text);

}  // namespace attune
