#include "score/isotonic.hpp"

#include <algorithm>

namespace attune {
namespace {

// Neighbouring points that share one value.
struct Block {
  double first = 0, last = 0;  // x
  double sum = 0, weight = 0;  // weighted sum of y
  double mean() const { return sum / weight; }
};

}  // namespace

NonIncreasingFit::NonIncreasingFit(std::span<const WeightedPoint> points) {
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < points.size();) {
    Block next{points[i].x, points[i].x, 0, 0};
    for (; i < points.size() && points[i].x == next.first; ++i) {
      next.sum += points[i].y * points[i].weight;
      next.weight += points[i].weight;
    }
    while (!blocks.empty() && blocks.back().mean() <= next.mean()) {
      next.first = blocks.back().first;
      next.sum += blocks.back().sum;
      next.weight += blocks.back().weight;
      blocks.pop_back();
    }
    blocks.push_back(next);
  }
  for (const Block& block : blocks) {
    x_.push_back(block.first);
    y_.push_back(block.mean());
    if (block.last == block.first) continue;
    x_.push_back(block.last);
    y_.push_back(block.mean());
  }
}

double NonIncreasingFit::operator()(double x) const {
  if (x <= x_.front()) return y_.front();
  if (x >= x_.back()) return y_.back();
  const auto i = static_cast<std::size_t>(std::upper_bound(x_.begin(), x_.end(), x) - x_.begin()) - 1;
  return y_[i] + (y_[i + 1] - y_[i]) / (x_[i + 1] - x_[i]) * (x - x_[i]);
}

}  // namespace attune
