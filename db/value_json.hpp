// Values as JSON text. Typed: each name with the kind of its value, so that it reads back exactly; the database uses
// this. Plain: an object, for people and other programs. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attune/bindings.hpp"
#include "core/launch_shape.hpp"

namespace attune {

// Returns [["TILE","integer",32],["PAD","boolean",true],["SCALE","real",0.5],["T","name","float"]]. Reals without a
// JSON number are "inf", "-inf", "nan". Throws UsageError for a name that is not UTF-8.
std::string typed_json(const Bindings& bindings);
// Returns nothing for text that typed_json() cannot have written.
std::optional<Bindings> bindings_from_typed_json(std::string_view text);

// Returns [1.5,2.25]; a sample that is not finite is null, which reads back as NaN.
std::string numbers_json(const std::vector<double>& numbers);
std::optional<std::vector<double>> numbers_from_json(std::string_view text);

// Returns [{"grid":[64,1,1],"block":[256,1,1],"shared":0}].
std::string shapes_json(const std::vector<LaunchShape>& shapes);
// Returns nothing for text that shapes_json() cannot have written.
std::optional<std::vector<LaunchShape>> shapes_from_json(std::string_view text);

// Returns {"TILE": 32, "T": "float"}, in order.
nlohmann::ordered_json plain_json(const Bindings& bindings);

}  // namespace attune
