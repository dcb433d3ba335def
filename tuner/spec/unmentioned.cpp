#include "spec/unmentioned.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

namespace attune {
namespace {

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Returns whether `text` has the name as a word. A word in a comment counts too, so that the message is never wrong.
bool mentions(std::string_view text, std::string_view name) {
  for (auto at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const auto end = at + name.size();
    const bool is_word = (at == 0 || !is_of_name(text[at - 1])) && (end == text.size() || !is_of_name(text[end]));
    if (is_word) return true;
  }
  return false;
}

// All texts of a kernel in which a parameter can be named.
class KernelTexts {
 public:
  explicit KernelTexts(const KernelSpec& spec) {
    for (const std::vector<Step>* steps : {&spec.launch, &spec.verify}) add(*steps);
    for (const Argument& argument : spec.arguments) add(argument);
    for (const auto& [name, check] : spec.argument_check) add(check);
    add(spec.check);
    add(spec.rules);
    for (const std::optional<Expression>* one : {&spec.metrics.bytes, &spec.metrics.flops, &spec.metrics.items,
                                                 &spec.compile.requires_where, &spec.deterministic})
      add(*one);
    texts_.insert(texts_.end(), spec.compile.options.begin(), spec.compile.options.end());
    if (spec.compile.defines == Defines::none) return;
    texts_.push_back(spec.source.text);
    for (const Header& header : spec.source.headers) texts_.push_back(header.text);
  }
  bool mention(std::string_view name) const {
    return std::any_of(texts_.begin(), texts_.end(), [&](const std::string& text) { return mentions(text, name); });
  }

 private:
  void add(const Expression& expression) { texts_.push_back(expression.text()); }
  void add(const std::optional<Expression>& expression) {
    if (expression) add(*expression);
  }
  void add(const std::vector<Expression>& expressions) {
    for (const Expression& one : expressions) add(one);
  }
  void add(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      texts_.push_back(step.entry);
      for (const std::vector<Expression>* shape : {&step.grid, &step.block, &step.cluster}) add(*shape);
      for (const std::optional<Expression>* one : {&step.shared, &step.overlap, &step.cooperative, &step.when})
        add(*one);
    }
  }
  void add(const Argument& argument) {
    for (const std::optional<Expression>* one : {&argument.size, &argument.value, &argument.mapped_where}) add(*one);
    texts_.push_back(argument.symbol);
    if (!argument.tiles) return;
    for (const std::vector<Expression>* list : {&argument.tiles->shape, &argument.tiles->strides, &argument.tiles->box})
      add(*list);
    for (const std::optional<Expression>* one : {&argument.tiles->swizzle, &argument.tiles->when}) add(*one);
  }
  void add(const Check& check) {
    for (const std::optional<Expression>* one : {&check.absolute, &check.relative, &check.differing}) add(*one);
  }

  std::vector<std::string> texts_;
};

}  // namespace

std::vector<std::string> unmentioned_parameters(const KernelSpec& spec) {
  std::vector<std::string> found;
  if (spec.launch.empty()) return found;  // a recording
  const KernelTexts texts(spec);
  for (const Parameter& parameter : spec.parameters)
    if (parameter.values.size() > 1 && !texts.mention(parameter.name)) found.push_back(parameter.name);
  return found;
}

std::string unmentioned_text(const KernelSpec& spec) {
  const std::vector<std::string> found = unmentioned_parameters(spec);
  if (found.empty()) return "";
  std::string names;
  for (const std::string& name : found) names += (names.empty() ? "`" : ", `") + name + "`";
  const bool is_one = found.size() == 1;
  return (is_one ? "parameter " : "parameters ") + names + (is_one ? " changes" : " change") +
         " nothing: no [[launch]], template argument, option or rule has the name, nor has the source a macro of it "
         "(defines in [compile]); leave it out, or use it";
}

}  // namespace attune
