// A pipeline of layers, as frameworks have it. A tuned softmax takes the place of the framework's own. It is embedded
// by attune_embed(pipeline softmax.cu). ATTUNE_DEVICE=host runs it without a GPU.
#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

#include "attune/attune.hpp"
#include "attune_embedded/softmax.hpp"

constexpr std::size_t rows = 300, columns = 1000;
using Matrix = std::vector<float>;

static Matrix own_softmax(Matrix matrix) {
  for (std::size_t row = 0; row < matrix.size(); row += columns) {
    double sum = 0;
    for (std::size_t i = row; i < row + columns; ++i) sum += std::exp(matrix[i]);
    for (std::size_t i = row; i < row + columns; ++i) matrix[i] = static_cast<float>(std::exp(matrix[i]) / sum);
  }
  return matrix;
}

int main() {
  attune::Dispatcher gpu;
  gpu.add(attune_embedded::softmax);
  const attune::Kernel softmax = gpu.kernel("softmax");  // for any size: each takes what was tuned for it, or near it
  const auto tuned_softmax = [&](const Matrix& matrix) {
    const attune::Buffer<float> in(gpu, matrix), out(gpu, matrix.size());
    softmax.launch(nullptr, {rows, columns, "Data::logits"}, out, in, rows, columns);
    gpu.synchronize();
    return out.to_vector();
  };
  const auto scaled = [](Matrix matrix) {
    for (float& element : matrix) element *= 0.125f;
    return matrix;
  };
  std::vector<std::function<Matrix(Matrix)>> layers = {scaled, own_softmax, scaled};
  const auto run = [&](Matrix matrix) {
    for (const auto& layer : layers) matrix = layer(matrix);
    return matrix;
  };
  Matrix in(rows * columns);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i * i % 97);
  const Matrix before = run(in);
  layers[1] = tuned_softmax;  // all that changes
  const Matrix after = run(in);
  std::size_t same = 0;
  for (std::size_t i = 0; i < in.size(); ++i) same += std::abs(after[i] - before[i]) <= 1e-5f * before[i] ? 1 : 0;
  std::printf("%zu of %zu elements: the same\n", same, in.size());
}
