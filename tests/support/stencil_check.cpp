#include "support/stencil_check.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "attune/attune.hpp"
#include "attune/builtin.hpp"

namespace attune::test {
namespace {

using Field = std::vector<float>;

constexpr std::array<int, 3> extents{72, 21, 13};
constexpr int points = extents[0] * extents[1] * extents[2];
constexpr int most_stencil_offset = 5;

Field made_field(int seed, float scale) {
  Field field(points + most_stencil_offset);
  for (std::size_t i = 0; i < field.size(); ++i)
    field[i] = scale * std::sin(static_cast<float>(static_cast<int>(i) * 37 % 1009 + seed));
  return field;
}

// Returns u at a distance along one direction, or zero outside the grid.
double at(const float* u, int i, std::size_t direction, int distance) {
  const std::array<int, 3> strides{1, extents[0], extents[0] * extents[1]};
  const int place = i / strides[direction] % extents[direction] + distance;
  return place < 0 || place >= extents[direction] ? 0 : u[i + distance * strides[direction]];
}

double stepped(const float* u, const float* prev, const float* v2, int i) {
  constexpr double weights[5] = {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
  double laplacian = 3 * weights[0] * u[i];
  for (std::size_t direction = 0; direction < 3; ++direction)
    for (int r = 1; r <= 4; ++r) laplacian += weights[r] * (at(u, i, direction, -r) + at(u, i, direction, r));
  return 2.0 * u[i] - prev[i] + v2[i] * laplacian;
}

double worst_error(const float* next, const float* u, const float* prev, const float* v2) {
  double worst = 0;
  for (int i = 0; i < points; ++i) {
    const double error = std::abs(next[i] - stepped(u, prev, v2, i));
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

}  // namespace

std::vector<std::string> wrong_steps_of_offset_grids(const std::string& device) {
  DispatcherOptions options;
  options.device = device;
  options.database = ":memory:";
  Dispatcher dispatcher(options);
  dispatcher.add(builtin::stencil3d);
  const Plan plan = dispatcher.plan("stencil3d", {{"nx", extents[0]}, {"ny", extents[1]}, {"nz", extents[2]}});
  const Field u = made_field(1, 1), prev = made_field(2, 1), v2 = made_field(3, 0.1F);
  const Buffer<float> on_u(dispatcher, u), on_v2(dispatcher, v2), next(dispatcher, u.size());
  std::vector<std::string> wrong;
  for (int offset = 0; offset <= most_stencil_offset; ++offset) {
    for (const bool in_place : {false, true}) {
      const Buffer<float> on_prev(dispatcher, prev);
      const Buffer<float>& to = in_place ? on_prev : next;
      plan.launch(nullptr, to.data() + offset, on_u.data() + offset, on_prev.data() + offset, on_v2.data() + offset,
                  extents[0], extents[1], extents[2]);
      const Field result = to.to_vector();
      const double error = worst_error(&result[offset], &u[offset], &prev[offset], &v2[offset]);
      if (error <= 6e-6) continue;
      wrong.push_back(fmt::format("offset {}, {}: {}", offset, in_place ? "in place" : "apart", error));
    }
  }
  return wrong;
}

}  // namespace attune::test
