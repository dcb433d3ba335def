#include "spec/t1_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_set>

#include "base/near_name.hpp"
#include "base/regular_file.hpp"
#include "spec/shortened.hpp"
#include "spec/t1_values.hpp"

namespace attune {
namespace {

using Json = nlohmann::json;

constexpr std::size_t max_document_bytes = std::size_t{64} << 20;  // T1 has about 5 KB; lists written out, megabytes
constexpr int max_document_depth = 64;                             // T1 has 6
constexpr std::size_t max_parameters = 4096;
constexpr std::size_t max_conditions = 65536;

struct ParameterType {
  std::string_view name;
  Value::Kind kind;
  std::string_view wanted;
};
constexpr ParameterType types[] = {
    {"int", Value::Kind::integer, "an integer (`//` divides to one)"},
    {"float", Value::Kind::real, "a number"},
    {"double", Value::Kind::real, "a number"},
    {"real", Value::Kind::real, "a number"},
    {"bool", Value::Kind::boolean, "true, false, 1 or 0"},
    {"string", Value::Kind::name, "a text that is not empty"},
};

// An error about a defect inside the document. The caller prefixes the file, the parameter or the condition.
UsageError wrong(std::string_view place, std::string_view message) {
  return UsageError(fmt::format("{}: {}", place, message));
}

// Refuses deep nesting and repeated keys, while the document is read.
class DocumentCheck {
 public:
  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > max_document_depth) {
      throw UsageError(fmt::format("nested more than {} deep, which no T1 document is", max_document_depth));
    }
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_.pop_back();
    if (event != Json::parse_event_t::key) return true;
    const auto& key = parsed.get_ref<const std::string&>();
    if (!keys_.back().insert(key).second) throw UsageError(fmt::format("the key {} stands twice", shortened(key)));
    return true;
  }

 private:
  std::vector<std::set<std::string>> keys_;  // of the enclosing objects
};

Json parsed(std::string_view text) {
  if (text.size() > max_document_bytes) {
    throw UsageError(fmt::format("{} bytes: a T1 document has at most {}", text.size(), max_document_bytes));
  }
  // The JSON library takes a NUL byte for the end of the text.
  if (text.find('\0') != std::string_view::npos) throw UsageError("a NUL byte: a T1 document is text");
  try {
    DocumentCheck check;
    return Json::parse(text,
                       [&](int depth, Json::parse_event_t event, Json& value) { return check(depth, event, value); });
  } catch (const Json::exception& error) {
    const std::string_view reason = error.what();  // "[json.exception...] parse error at line 1, ..."
    const std::size_t line = reason.find("line ");
    throw UsageError(fmt::format("no JSON: {}", shortened(line == reason.npos ? reason : reason.substr(line))));
  }
}

const Json* find(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

const Json& need(const Json& object, const char* key, Json::value_t type, std::string_view what) {
  const Json* const value = find(object, key);
  if (value == nullptr) throw UsageError(fmt::format("`{}` is missing; it must be {}", key, what));
  if (value->type() != type) throw UsageError(fmt::format("`{}` must be {}", key, what));
  return *value;
}

const std::string& need_text(const Json& object, const char* key) {
  return need(object, key, Json::value_t::string, "a text").get_ref<const std::string&>();
}

const Json& need_object(const Json& value) {
  if (!value.is_object()) throw UsageError("expected an object {..}");
  return value;
}

Value value_of(const Json& json) {
  if (json.is_boolean()) return Value(json.get<bool>());
  if (json.is_string()) return Value(json.get<std::string>());
  if (json.is_number_float()) return Value(json.get<double>());
  if (json.is_number_unsigned() && json.get<std::uint64_t>() >> 63 != 0) {
    throw UsageError(fmt::format("{} is too large: integers go up to 2**63 - 1", json.dump()));
  }
  if (json.is_number_integer()) return Value(json.get<std::int64_t>());
  throw UsageError("a value is a number, true, false or a text");
}

// Returns the value converted to the kind of its type.
Value fitted(const Value& value, const ParameterType& type) {
  const bool empty = value.is_name() && value.name().empty();
  if (value.kind() == type.kind && !empty) return value;
  if (type.kind == Value::Kind::real && value.is_integer()) return Value(static_cast<double>(value.integer()));
  if (type.kind == Value::Kind::boolean && (value == Value(0) || value == Value(1))) return Value(value == Value(1));
  throw UsageError(fmt::format("the value {} does not fit the type {}: {} is needed", shortened(value.text()),
                               type.name, type.wanted));
}

const ParameterType& type_of(const Json& parameter) {
  const std::string& name = need_text(parameter, "Type");
  const auto found =
      std::find_if(std::begin(types), std::end(types), [&](const ParameterType& type) { return type.name == name; });
  if (found != std::end(types)) return *found;
  std::vector<std::string> known;
  for (const ParameterType& type : types) known.emplace_back(type.name);
  throw UsageError(fmt::format("unknown type `{}`{}", shortened(name), suggestion(name, known)));
}

std::vector<Value> values_of(const Json& parameter, const ParameterType& type, ListBudget& budget) {
  const Json* const list = find(parameter, "Values");
  if (list == nullptr) throw UsageError("`Values` is missing; it must be an array, or a text with a list");
  std::vector<Value> values;
  if (list->is_string()) {
    values = read_value_list(list->get_ref<const std::string&>(), budget);
  } else if (list->is_array() && list->size() <= max_t1_values) {
    for (const Json& item : *list) values.push_back(value_of(item));
  } else if (list->is_array()) {
    throw UsageError(fmt::format("more than {} values: a parameter has at most as many", max_t1_values));
  } else {
    throw UsageError("`Values` must be an array, or a text with a list");
  }
  if (values.empty()) throw UsageError("no values; a parameter has at least one");
  std::unordered_set<std::string> seen;
  for (Value& value : values) {
    value = fitted(value, type);
    if (!seen.insert(value.text()).second) {
      throw UsageError(fmt::format("the value {} stands twice", shortened(value.text())));
    }
  }
  return values;
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; });
}

// Returns whether a condition can use the name; words of Python cannot be names.
bool is_usable(const std::string& name) {
  try {
    const Expression expression(name, Dialect::python);
    return expression.names() == std::vector<std::string>{name};
  } catch (const ExpressionError&) {
    return false;
  }
}

void read_parameter(const Json& json, T1Space& space, ListBudget& budget) {
  Parameter parameter;
  parameter.name = need_text(need_object(json), "Name");
  if (!is_usable(parameter.name)) {
    throw UsageError(
        fmt::format("`{}` is no name: letters, digits and `_`, and no word of Python", shortened(parameter.name)));
  }
  try {
    const ParameterType& type = type_of(json);
    parameter.values = values_of(json, type, budget);
    for (const Value& value : parameter.values) {
      if (value.is_name() && has_control(value.name()))
        throw UsageError(
            "a text value holds a line break or another control character, which no line of output can show");
    }
    const Json* const value = find(json, "Default");
    const bool has_default = value != nullptr && !value->is_null();
    space.defaults.push_back(has_default ? std::optional(fitted(value_of(*value), type)) : std::nullopt);
  } catch (const UsageError& error) {
    throw wrong(fmt::format("parameter `{}`", shortened(parameter.name)), error.what());
  }
  space.parameters.push_back(std::move(parameter));
}

void read_parameters(const Json& list, T1Space& space) {
  if (list.size() > max_parameters) throw UsageError(fmt::format("more than {} parameters", max_parameters));
  ListBudget budget;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const bool is_named = list[i].is_object() && list[i].contains("Name") && list[i]["Name"].is_string();
    try {
      read_parameter(list[i], space, budget);
    } catch (const UsageError& error) {
      if (is_named) throw;
      throw wrong(fmt::format("TuningParameters[{}]", i), error.what());
    }
  }
  std::unordered_set<std::string> seen;
  for (const Parameter& parameter : space.parameters) {
    if (!seen.insert(parameter.name).second) {
      throw UsageError(fmt::format("parameter `{}` stands twice; rename one", shortened(parameter.name)));
    }
  }
}

void require_known(const std::string& name, const std::unordered_set<std::string>& known, const T1Space& space) {
  if (known.contains(name)) return;
  std::vector<std::string> names;
  for (const Parameter& parameter : space.parameters) names.push_back(parameter.name);
  throw UsageError(
      fmt::format("`{}` is no parameter{}", shortened(name), shortened(suggestion(shortened(name), names))));
}

void read_condition(const Json& json, const std::unordered_set<std::string>& known, T1Space& space) {
  Expression expression(need_text(need_object(json), "Expression"), Dialect::python);
  try {
    for (const auto& name : expression.names()) require_known(name, known, space);
    if (const Json* const parameters = find(json, "Parameters")) {
      if (!parameters->is_array()) throw UsageError("`Parameters` must be an array of names");
      for (const Json& name : *parameters) {
        if (!name.is_string()) throw UsageError("`Parameters` must be an array of names");
        require_known(name.get_ref<const std::string&>(), known, space);
      }
    }
  } catch (const UsageError& error) {
    throw wrong(fmt::format("`{}`", shortened(expression.text())), error.what());
  }
  space.rules.push_back({std::move(expression), false});
}

void read_conditions(const Json& list, T1Space& space) {
  if (list.size() > max_conditions) throw UsageError(fmt::format("more than {} conditions", max_conditions));
  std::unordered_set<std::string> known;
  for (const Parameter& parameter : space.parameters) known.insert(parameter.name);
  for (std::size_t i = 0; i < list.size(); ++i) {
    try {
      read_condition(list[i], known, space);
    } catch (const UsageError& error) {
      throw wrong(fmt::format("Conditions[{}]", i), error.what());
    }
  }
}

std::string name_of(const Json& document, std::string_view file_name) {
  const Json* const general = find(document, "General");
  const Json* const name = general != nullptr && general->is_object() ? find(*general, "BenchmarkName") : nullptr;
  const bool is_named = name != nullptr && name->is_string() && !name->get_ref<const std::string&>().empty();
  std::string text = is_named ? name->get<std::string>() : std::filesystem::path(file_name).stem().string();
  for (char& c : text) c = has_control({&c, 1}) ? '?' : c;  // for display only
  return text;
}

T1Space space_of(const Json& document, std::string_view file_name) {
  const Json& from = need(need_object(document), "ConfigurationSpace", Json::value_t::object, "an object {..}");
  T1Space space;
  space.name = name_of(document, file_name);
  const Json& parameters = need(from, "TuningParameters", Json::value_t::array, "an array of parameters");
  if (parameters.empty()) throw UsageError("`TuningParameters` is empty; a search space has at least one parameter");
  read_parameters(parameters, space);
  const Json* const conditions = find(from, "Conditions");
  if (conditions != nullptr && !conditions->is_null()) {
    read_conditions(need(from, "Conditions", Json::value_t::array, "an array of conditions"), space);
  }
  return space;
}

UsageError cannot_read(const std::filesystem::path& file, std::string_view why) {
  return UsageError(fmt::format("cannot read the T1 document {}: {}", file.string(), why));
}

}  // namespace

T1Space read_t1_space(std::string_view json, std::string_view file_name) {
  try {
    return space_of(parsed(json), file_name);
  } catch (const UsageError& error) {
    throw wrong(file_name, error.what());
  }
}

T1Space load_t1_space(const std::filesystem::path& file) {
  const FileText read = read_regular_file(file, max_document_bytes);
  if (!read.why.empty()) throw cannot_read(file, read.why);
  return read_t1_space(read.text, file.string());
}

}  // namespace attune
