#include "exports/step_code.hpp"

#include <fmt/format.h>

#include "exports/cpp_text.hpp"
#include "kernel/parameter_bytes.hpp"

namespace attune {
namespace {

constexpr std::string_view axes = "xyz";

class Geometry {
 public:
  Geometry(const KernelSpec& spec, ExpressionCode& expressions) : spec_(spec), expressions_(expressions) {}

  // Returns the statements for a step; its shape is `shapes.of[position]`.
  std::string of_step(const Step& step, std::size_t position) {
    label_ = step_label(step, position);
    text_ = fmt::format("  {{  // {}\n    Shape& shape = shapes.of[{}];\n", cpp_comment(label_), position);
    if (step.when)
      text_ += check(
          fmt::format("condition({}, {}, shape.runs)", expressions_.call(*step.when), place("when", *step.when)), 4);
    else
      text_ += "    shape.runs = true;\n";
    text_ += "    follows_launch = follows_launch && shape.runs;\n    if (shape.runs) {\n";
    if (step.kind == StepKind::launch) add_launch(step);
    add_overlap(step);
    if (step.cooperative)
      check(fmt::format("condition({}, {}, shape.cooperative)", expressions_.call(*step.cooperative),
                        place("cooperative", *step.cooperative)));
    return text_ + "    }\n  }\n";
  }

 private:
  static std::string check(const std::string& call, int indent) {
    return fmt::format("{:{}}if (const Failure failure = {}) return failure;\n", "", indent, call);
  }
  void check(const std::string& call) { text_ += check(call, 6); }
  std::string place(std::string_view what, const Expression& expression) const {
    return cpp_string(fmt::format("{}: {}: {}", label_, what, cpp_comment(expression.text())));
  }
  std::string place(std::string_view what) const { return cpp_string(fmt::format("{}: {}", label_, what)); }

  void add_dimensions(std::string_view what, const std::vector<Expression>& sizes, std::string_view limit) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::string most = limit.empty() ? "d.max_cluster()" : fmt::format("d.{}[{}]", limit, i);
      const std::string name = fmt::format("{}.{}", what, axes[i]);
      check(fmt::format("dimension({}, {}, {}, shape.{}[{}])", expressions_.call(sizes[i]), most, place(name, sizes[i]),
                        what, i));
    }
  }

  void add_launch(const Step& step) {
    add_dimensions("grid", step.grid, "max_grid");
    if (!step.cluster.empty()) {
      add_dimensions("cluster", step.cluster, "");
      check(fmt::format("cluster_limits(shape, d, {})", place("cluster")));
    }
    add_dimensions("block", step.block, "max_block");
    check(fmt::format("thread_limit(shape, d, {})", place("block")));
    if (step.shared)
      check(fmt::format("shared_limit({}, d, {}, shape)", expressions_.call(*step.shared),
                        place("shared", *step.shared)));
    if (const auto bytes = parameter_bytes(spec_, step))
      check(fmt::format("parameter_limit({}, d, {})", expressions_.call(*bytes), place("bytes of parameters", *bytes)));
  }

  void add_overlap(const Step& step) {
    if (step.overlap) {
      text_ += "      if (follows_launch && d.kind == \"cuda\" && d.compute_capability >= 90) {\n";
      text_ += check(fmt::format("condition({}, {}, shape.overlaps)", expressions_.call(*step.overlap),
                                 place("overlap", *step.overlap)),
                     8);
      text_ += "      }\n";
    }
    text_ += fmt::format("      follows_launch = {};\n", step.kind == StepKind::launch);
  }

  const KernelSpec& spec_;
  ExpressionCode& expressions_;
  std::string label_, text_;
};

std::string function_of(const KernelSpec& spec, const std::vector<Step>& steps, std::string_view name,
                        std::string_view structure, ExpressionCode& expressions) {
  Geometry geometry(spec, expressions);
  std::string text = fmt::format(
      "struct {1} {{\n  Shape of[{2}];  // of the steps, those that are left out too\n}};\n\n"
      "constexpr Failure {0}([[maybe_unused]] const Problem& p, [[maybe_unused]] const Configuration& c,\n"
      "                           [[maybe_unused]] const Device& d, {1}& shapes) {{\n"
      "  bool follows_launch = false;\n",
      name, structure, steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) text += geometry.of_step(steps[i], i);
  return text + "  return {};\n}\n\n";
}

std::string launch_code(const KernelSpec& spec, const Step& step, std::size_t position) {
  std::string arguments;
  for (const std::string& name : step.arguments)
    arguments += fmt::format("{}{}", arguments.empty() ? "" : ", ", spec.find_argument(name) - spec.arguments.data());
  return fmt::format("    step.entry = {};\n    step.shape = shapes.of[{}];\n    step.arguments = {{{}}};\n",
                     cpp_entry_text(spec, step.entry), position, arguments);
}

std::string memset_code(const KernelSpec& spec, const Step& step, std::size_t position) {
  const auto argument = spec.find_argument(step.memset_argument) - spec.arguments.data();
  return fmt::format(
      "    step.kind = StepKind::memset;\n    step.shape = shapes.of[{}];\n    step.memset_argument = {};\n"
      "    step.memset_value = {};\n    step.memset_bytes = known[{}].bytes;\n",
      position, argument, step.memset_value, argument);
}

}  // namespace

std::string geometry_code(const KernelSpec& spec, ExpressionCode& expressions) {
  std::string text = function_of(spec, spec.launch, "geometry", "Shapes", expressions);
  if (!spec.verify.empty()) text += function_of(spec, spec.verify, "verify_geometry", "VerifyShapes", expressions);
  return text;
}

std::string steps_code(const KernelSpec& spec) {
  std::string text =
      "inline std::vector<Step> steps([[maybe_unused]] const Problem& p, [[maybe_unused]] const Configuration& c,\n"
      "                               const Shapes& shapes, [[maybe_unused]] const std::vector<Argument>& known) {\n"
      "  std::vector<Step> running;\n";
  for (std::size_t i = 0; i < spec.launch.size(); ++i) {
    const Step& step = spec.launch[i];
    text += fmt::format("  if (shapes.of[{}].runs) {{  // {}\n    Step step;\n", i, cpp_comment(step_label(step, i)));
    text += step.kind == StepKind::launch ? launch_code(spec, step, i) : memset_code(spec, step, i);
    text += "    running.push_back(std::move(step));\n  }\n";
  }
  return text + "  return running;\n}\n\n";
}

}  // namespace attune
