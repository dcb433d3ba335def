// The part of a program with an exported header that prints what the header selects.
#pragma once

namespace attune::test {

// Prints a selection in the words of text_of() in selection_test.cpp.
inline constexpr const char* selection_printer = R"cpp(
#include <cstdio>
  using namespace attune_export;
  static std::string three(const std::uint32_t (&x)[3]) {
    return std::to_string(x[0]) + "," + std::to_string(x[1]) + "," + std::to_string(x[2]);
  }
  static std::string value_text(const Value& v) {
    char text[64];
    std::snprintf(text, sizeof text, v.kind == Value::Kind::real ? "%a" : "%.0f",
                  v.kind == Value::Kind::real ? v.real : static_cast<double>(v.integer));
    return text;
  }
  static void print(const Selection& s) {
    std::printf("%s%s | %s", s.is_found ? "" : "none", s.is_found ? text_of(s.rung) : "",
                s.is_found ? text_of(s.configuration).c_str() : "");
    for (const Step& step : s.steps) {
      if (step.kind == StepKind::memset) {
        std::printf(" | memset %d %d %llu", step.memset_argument, step.memset_value,
                    static_cast<unsigned long long>(step.memset_bytes));
        continue;
      }
      std::printf(" | %s %s %s %s %llu %d%d", step.entry.c_str(), three(step.shape.grid).c_str(),
                  three(step.shape.block).c_str(), three(step.shape.cluster).c_str(),
                  static_cast<unsigned long long>(step.shape.shared_bytes), step.shape.overlaps ? 1 : 0,
                  step.shape.cooperative ? 1 : 0);
      for (const int argument : step.arguments) std::printf(" %d", argument);
    }
    for (const Argument& a : s.arguments) {
      std::printf(" | %s %d %llu %llu %d%d %s", std::string(a.type).c_str(), static_cast<int>(a.role),
                  static_cast<unsigned long long>(a.count), static_cast<unsigned long long>(a.bytes),
                  a.is_mapped ? 1 : 0, a.by_value ? 1 : 0, a.symbol.c_str());
      if (a.is_known) std::printf(" %s", value_text(a.value).c_str());
      if (!a.map.is_encoded) continue;
      std::printf(" map %d %u %u", a.map_of, a.map.element_bytes, a.map.swizzle);
      for (int i = 0; i < a.map.dimensions; ++i)
        std::printf(" %llu,%llu,%u", static_cast<unsigned long long>(a.map.shape[i]),
                    static_cast<unsigned long long>(a.map.strides[i]), a.map.box[i]);
    }
    std::puts("");
  }
)cpp";

}  // namespace attune::test
