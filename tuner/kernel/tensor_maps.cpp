#include "kernel/tensor_maps.hpp"

#include <fmt/format.h>

#include "attune/error.hpp"
#include "kernel/instantiate.hpp"

namespace attune {
namespace {

// Coordinates are signed 32-bit integers, which cannot name an element beyond.
constexpr std::string_view most_elements = "2 ** 31";

// Returns the stride of each dimension in elements, as text. If none are given, the array is dense, and strides are
// products of the shape.
std::vector<std::string> strides_of(const TiledView& view) {
  std::vector<std::string> strides{"1"};
  for (std::size_t i = 1; i < view.shape.size(); ++i) {
    const std::string inner = fmt::format("({})", view.shape[i - 1].text());
    strides.push_back(!view.strides.empty() ? view.strides[i - 1].text()
                      : i == 1              ? inner
                                            : fmt::format("{} * {}", strides.back(), inner));
  }
  return strides;
}

class MapLimits {
 public:
  MapLimits(const KernelSpec& spec, const Argument& map)
      : view_(*map.tiles), array_(*spec.find_argument(view_.array)) {}

  std::vector<TensorLimit> take() {
    add("the device's compute capability", "device.compute_capability", "", "device.kind == 'host' || {} >= 90",
        "90 and more");
    add("an element", element_, " bytes", "{} in [1, 2, 4, 8]", "1, 2, 4 or 8");
    add_shape();
    add_box();
    return std::move(limits_);
  }

 private:
  // `condition` has braces in place of the value.
  void add(const std::string& what, const std::string& value, std::string unit, const std::string& condition,
           std::string rule) {
    const std::string in_place = fmt::format(fmt::runtime(condition), fmt::format("({})", value));
    limits_.push_back({what, Expression(value), std::move(unit), Expression(in_place), std::move(rule)});
  }

  void add_shape() {
    const std::vector<std::string> strides = strides_of(view_);
    std::string reached = "1";
    for (std::size_t i = 0; i < view_.shape.size(); ++i) {
      const std::string& size = view_.shape[i].text();
      add(fmt::format("its shape[{}]", i), size, "", fmt::format("{{0}} >= 1 && {{0}} <= {}", most_elements),
          "1 to 2^31");
      if (i > 0)
        add(fmt::format("the stride of its dimension {}", i), fmt::format("({}) * {}", strides[i], element_), " bytes",
            "{0} > 0 && {0} < 2 ** 40 && {0} % 16 == 0", "multiples of 16 below 2^40");
      reached += fmt::format(" + (({}) - 1) * ({})", size, strides[i]);
    }
    // A store tells inside from outside in units of 16 bytes.
    if (array_.role != Role::in)
      add(fmt::format("a row of `{}`, which is written,", array_.name),
          fmt::format("({}) * {}", view_.shape.front().text(), element_), " bytes", "{} % 16 == 0", "multiples of 16");
    add(fmt::format("the part of `{}` that it reaches", array_.name), reached, " elements",
        fmt::format("{{}} <= ({})", array_.size->text()), fmt::format("at most its size, `{}`", array_.size->text()));
  }

  void add_box() {
    for (std::size_t i = 0; i < view_.box.size(); ++i)
      add(fmt::format("its box[{}]", i), view_.box[i].text(), "", "{0} >= 1 && {0} <= 256", "1 to 256");
    const std::string row = fmt::format("({}) * {}", view_.box.front().text(), element_);
    add("a row of its box", row, " bytes", "{} % 16 == 0", "multiples of 16");
    if (!view_.swizzle) return;
    const std::string& swizzle = view_.swizzle->text();
    add("its swizzle", swizzle, " bytes", "{} in [0, 32, 64, 128]", "0, 32, 64 or 128");
    // The hardware accepts shorter rows too, and leaves a hole behind each.
    add("a row of its box", row, " bytes", fmt::format("({0}) == 0 || {{}} == ({0})", swizzle),
        fmt::format("as many as its swizzle, `{}`", swizzle));
  }

  const TiledView& view_;
  const Argument& array_;
  const std::string element_ = fmt::format("sizeof({})", array_.type);
  std::vector<TensorLimit> limits_;
};

std::string shown(const Expression& value, const Scope& scope) {
  const Expression::Result result = value.evaluate(scope);
  if (const auto* undefined = std::get_if<Undefined>(&result)) return undefined->reason;
  return std::get<Value>(result).text();
}

}  // namespace

std::vector<TensorLimit> tensor_limits(const KernelSpec& spec, const Argument& map) {
  return MapLimits(spec, map).take();
}

bool is_encoded(const Argument& map, const Scope& scope, const std::string& where) {
  const auto& when = map.tiles->when;
  if (!when) return true;
  const Expression::Result result = when->evaluate(scope);
  if (const auto* undefined = std::get_if<Undefined>(&result))
    throw Error(fmt::format("{} when: {}: {}", where, when->text(), undefined->reason));
  return when->holds(scope);
}

TensorLayout tensor_layout(const KernelSpec& spec, const Argument& map, const Scope& scope, const std::string& where) {
  for (const TensorLimit& limit : tensor_limits(spec, map)) {
    if (limit.condition.holds(scope)) continue;
    throw Error(fmt::format("{}: {} is {}{} (`{}`); a tensor map takes {}", where, limit.what,
                            shown(limit.value, scope), limit.unit, limit.value.text(), limit.rule));
  }
  const TiledView& view = *map.tiles;
  const auto number = [&](const Expression& expression) {
    return static_cast<std::uint64_t>(expression.integer(scope, where));
  };
  TensorLayout layout;
  layout.element_bytes = concrete_type(*spec.find_argument(view.array), *scope.problem).size;
  for (const Expression& size : view.shape) layout.shape.push_back(number(size));
  std::uint64_t stride = layout.element_bytes;
  for (std::size_t i = 1; i < layout.shape.size(); ++i) {
    stride = view.strides.empty() ? stride * layout.shape[i - 1] : number(view.strides[i - 1]) * layout.element_bytes;
    layout.strides.push_back(stride);
  }
  for (const Expression& size : view.box) layout.box.push_back(static_cast<std::uint32_t>(number(size)));
  if (view.swizzle) layout.swizzle = static_cast<std::uint32_t>(number(*view.swizzle));
  return layout;
}

void check_tensor_maps(const KernelSpec& spec, const Scope& scope) {
  for (const Argument& argument : spec.arguments)
    if (argument.role == Role::map && is_encoded(argument, scope, argument.name))
      tensor_layout(spec, argument, scope, argument.name);
}

}  // namespace attune
