#include "support/offset_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "support/kernel_defaults.hpp"

namespace attune::test {
namespace {

using Numbers = std::vector<int>;

constexpr int room = 70'000, most_offset = 5;
constexpr int width = 132, height = 260;  // whole packs and tiles, and others

Numbers numbered(int first) {
  Numbers numbers(room);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

// Launches a kernel into `out`, and returns whether all of `out` is as `expect` says.
template <typename Launch, typename Expect>
bool is_right(Dispatcher& dispatcher, const Launch& launch, const Expect& expect) {
  Numbers expected(room, -1);
  const Buffer<int> out(dispatcher, expected);
  expect(expected);
  launch(out);
  return out.to_vector() == expected;
}

bool copies(Dispatcher& dispatcher, int to, int from) {
  const Numbers numbers = numbered(7);
  const Buffer<int> in(dispatcher, numbers);
  const int n = 40'003;
  const Plan plan = dispatcher.plan("copy", {{"n", n}, {"offset", 0}, {"stride", 1}, {"T", "float"}});
  return is_right(
      dispatcher,
      [&](const Buffer<int>& out) {
        plan.launch(nullptr, reinterpret_cast<float*>(out.data()) + to,
                    reinterpret_cast<const float*>(in.data()) + from, n, 0, 1);
      },
      [&](Numbers& expected) { std::copy_n(numbers.begin() + from, n, expected.begin() + to); });
}

bool adds(Dispatcher& dispatcher, int to, int from) {
  const Numbers numbers = numbered(7);
  const Buffer<int> in(dispatcher, numbers);
  const Plan plan = dispatcher.plan("add", {{"rows", height}, {"columns", width}, {"pitch", 0}, {"T", "int32"}});
  return is_right(
      dispatcher,
      [&](const Buffer<int>& out) {
        plan.launch(nullptr, out.data() + to, in.data() + from, in.data() + to, height, width);
      },
      [&](Numbers& expected) {
        for (int i = 0; i < width * height; ++i)
          expected[static_cast<std::size_t>(to + i)] =
              numbers[static_cast<std::size_t>(from + i)] + numbers[static_cast<std::size_t>(to + i)];
      });
}

bool scales_and_adds(Dispatcher& dispatcher, int to, int from) {
  const Numbers numbers = numbered(7);
  const Buffer<int> in(dispatcher, numbers);
  const int n = 40'003;
  const Plan plan = dispatcher.plan("axpy", {{"n", n}, {"T", "int32"}});
  return is_right(
      dispatcher, [&](const Buffer<int>& out) { plan.launch(nullptr, out.data() + to, in.data() + from, 3, n); },
      [&](Numbers& expected) {
        for (int i = 0; i < n; ++i)
          expected[static_cast<std::size_t>(to + i)] += 3 * numbers[static_cast<std::size_t>(from + i)];
      });
}

bool transposes(Dispatcher& dispatcher, int to, int from) {
  const Numbers numbers = numbered(7);
  const Buffer<int> in(dispatcher, numbers);
  const Plan plan = dispatcher.plan("transpose", {{"width", width}, {"height", height}, {"T", "int32"}});
  return is_right(
      dispatcher,
      [&](const Buffer<int>& out) { plan.launch(nullptr, out.data() + to, in.data() + from, width, height); },
      [&](Numbers& expected) {
        for (int y = 0; y < height; ++y)
          for (int x = 0; x < width; ++x)
            expected[static_cast<std::size_t>(to + x * height + y)] =
                numbers[static_cast<std::size_t>(from + y * width + x)];
      });
}

float value_at(int i) { return static_cast<float>(i % 7 - 3); }

// Matrices of small whole numbers: their products are exact.
bool multiplies(Dispatcher& dispatcher, int to, int from) {
  constexpr int order = 6, area = order * order, batch = 1000;
  Numbers numbers(room);
  for (int i = 0; i < room; ++i) numbers[static_cast<std::size_t>(i)] = std::bit_cast<int>(value_at(i));
  const Buffer<int> in(dispatcher, numbers);
  const Plan plan = dispatcher.plan("gemm_batched", {{"n", order}, {"batch", batch}, {"T", "float"}});
  return is_right(
      dispatcher,
      [&](const Buffer<int>& out) {
        const float* const values = reinterpret_cast<const float*>(in.data());
        plan.launch(nullptr, reinterpret_cast<float*>(out.data()) + to, values + from, values + to, batch);
      },
      [&](Numbers& expected) {
        for (int i = 0; i < batch * area; ++i) {
          const int first = i / area * area, row = i % area / order, column = i % order;
          float sum = 0;
          for (int k = 0; k < order; ++k)
            sum += value_at(from + first + row * order + k) * value_at(to + first + k * order + column);
          expected[static_cast<std::size_t>(to + i)] = std::bit_cast<int>(sum);
        }
      });
}

// Larger matrices of small whole numbers: the product of a, m x k, and b, k x n.
constexpr int m = 67, n = 72, k = 40;

// Returns an element of that product. The row of a begins at number a_first, and element i of the column of b has
// number b_at(i).
template <typename At>
float product_at(int a_first, At b_at) {
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += value_at(a_first + i) * value_at(b_at(i));
  return sum;
}

bool multiplies_by_tiles(Dispatcher& dispatcher, int to, int from) {
  Numbers numbers(room);
  for (int i = 0; i < room; ++i) numbers[static_cast<std::size_t>(i)] = std::bit_cast<int>(value_at(i));
  const Buffer<int> in(dispatcher, numbers);
  const Plan plan = dispatcher.plan(
      "matmul",
      {{"m", m}, {"n", n}, {"k", k}, {"T", "float"}, {"TA", "Trans::no"}, {"TB", "Trans::no"}, {"BETA", "Beta::zero"}});
  return is_right(
      dispatcher,
      [&](const Buffer<int>& out) {
        const float* const values = reinterpret_cast<const float*>(in.data());
        plan.launch(nullptr, reinterpret_cast<float*>(out.data()) + to, values + from, values + to, 1.0f, 0.0f, m, n,
                    k);
      },
      [&](Numbers& expected) {
        for (int i = 0; i < m * n; ++i)
          expected[static_cast<std::size_t>(to + i)] =
              std::bit_cast<int>(product_at(from + i / n * k, [&](int row) { return to + row * n + i % n; }));
      });
}

// Elements of half a word: a bfloat16 is the upper half of a float.
bool multiplies_on_tensor_cores(Dispatcher& dispatcher, int to, int from) {
  const auto upper_half = [](float value) { return static_cast<std::uint16_t>(std::bit_cast<unsigned>(value) >> 16); };
  std::vector<std::uint16_t> numbers(room), expected(room, 0xffff);
  for (int i = 0; i < room; ++i) numbers[static_cast<std::size_t>(i)] = upper_half(value_at(i));
  const Buffer<std::uint16_t> in(dispatcher, numbers), out(dispatcher, expected);
  const Plan plan = dispatcher.plan("gemm_tensor", {{"m", m}, {"n", n}, {"k", k}, {"T", "bfloat16"}});
  plan.launch(nullptr, reinterpret_cast<__nv_bfloat16*>(out.data() + to),
              reinterpret_cast<const __nv_bfloat16*>(in.data() + from),
              reinterpret_cast<const __nv_bfloat16*>(in.data() + to), m, n, k);
  for (int i = 0; i < m * n; ++i)
    expected[static_cast<std::size_t>(to + i)] =
        upper_half(product_at(from + i / n * k, [&](int element) { return to + i % n * k + element; }));
  return out.to_vector() == expected;
}

// Columns of pixels with gaps between them: the label of a column is that of its first pixel.
bool labels(Dispatcher& dispatcher, int to, int from) {
  std::vector<std::uint8_t> pixels(room);
  for (int i = 0; i < width * height; ++i) pixels[static_cast<std::size_t>(from + i)] = i % width % 3 != 0 ? 1 : 0;
  const Buffer<std::uint8_t> image(dispatcher, pixels);
  const Plan plan = dispatcher.plan(
      "components",
      {{"width", width}, {"height", height}, {"NEIGHBOURS", "Neighbours::four"}, {"L", "int32"}, {"density", 59}});
  return is_right(
      dispatcher,
      [&](const Buffer<int>& out) { plan.launch(nullptr, out.data() + to, image.data() + from, width, height); },
      [&](Numbers& expected) {
        for (int i = 0; i < width * height; ++i) {
          const int x = i % width;
          expected[static_cast<std::size_t>(to + i)] = x % 3 == 0 ? 0 : x / 3 * 3 + 2;
        }
      });
}

// Rows of a matrix that begins anywhere. 132 columns are whole packs, if the first row begins with a pack.
Numbers digits() {
  Numbers numbers(room);
  for (int i = 0; i < room; ++i) numbers[static_cast<std::size_t>(i)] = i * 37 % 101;
  return numbers;
}

bool sums_rows(Dispatcher& dispatcher, int to, int from) {
  const Numbers numbers = digits();
  const Buffer<int> in(dispatcher, numbers);
  const Plan plan = dispatcher.plan("rowsum", {{"rows", height}, {"columns", width}, {"T", "int32"}});
  return is_right(
      dispatcher,
      [&](const Buffer<int>& out) { plan.launch(nullptr, out.data() + to, in.data() + from, height, width); },
      [&](Numbers& expected) {
        for (int y = 0; y < height; ++y) {
          const auto row = numbers.begin() + from + y * width;
          expected[static_cast<std::size_t>(to + y)] = std::accumulate(row, row + width, 0);
        }
      });
}

bool finds_maxima(Dispatcher& dispatcher, int to, int from) {
  const Numbers numbers = digits();
  const Buffer<int> in(dispatcher, numbers);
  const Plan plan = dispatcher.plan(
      "argmax", {{"rows", height}, {"columns", width}, {"T", "int32"}, {"I", "int32"}, {"DATA", "Data::uniform"}});
  return is_right(
      dispatcher,
      [&](const Buffer<int>& out) { plan.launch(nullptr, out.data() + to, in.data() + from, height, width); },
      [&](Numbers& expected) {
        for (int y = 0; y < height; ++y) {
          const auto row = numbers.begin() + from + y * width;
          expected[static_cast<std::size_t>(to + y)] = static_cast<int>(std::max_element(row, row + width) - row);
        }
      });
}

// Few rows, so long that each has several blocks. 8,196 columns are whole packs.
constexpr int long_rows = 8, long_columns = 8'196;

// Numbers of a row are 0 or 5,000: the former become 0, and the latter share 1.
bool takes_softmax(Dispatcher& dispatcher, int to, int from) {
  Numbers numbers(room);
  const auto is_large = [](int i) { return i % 97 == 5; };
  for (int i = 0; i < room; ++i)
    numbers[static_cast<std::size_t>(i)] = std::bit_cast<int>(is_large(i) ? 5'000.0f : 0.0f);
  const Buffer<int> in(dispatcher, numbers);
  const Plan plan = dispatcher.plan(
      "softmax", {{"rows", long_rows}, {"columns", long_columns}, {"T", "float"}, {"DATA", "Data::logits"}});
  return is_right(
      dispatcher,
      [&](const Buffer<int>& out) {
        plan.launch(nullptr, reinterpret_cast<float*>(out.data()) + to,
                    reinterpret_cast<const float*>(in.data()) + from, long_rows, long_columns);
      },
      [&](Numbers& expected) {
        for (int i = 0; i < long_rows * long_columns; ++i) {
          const int first = from + i / long_columns * long_columns;
          int count = 0;
          for (int c = (first + 91) / 97 * 97 + 5 - first; c < long_columns; c += 97) count += 1;
          expected[static_cast<std::size_t>(to + i)] =
              std::bit_cast<int>(is_large(from + i) ? 1.0f / static_cast<float>(count) : 0.0f);
        }
      });
}

// Rows of equal numbers become the bias.
bool normalizes(Dispatcher& dispatcher, int to, int from) {
  Numbers numbers(room), weights(room);
  for (int i = 0; i < long_rows * long_columns; ++i)
    numbers[static_cast<std::size_t>(from + i)] = std::bit_cast<int>(static_cast<float>(i / long_columns));
  for (int i = 0; i < room; ++i) weights[static_cast<std::size_t>(i)] = std::bit_cast<int>(static_cast<float>(i));
  const Buffer<int> in(dispatcher, numbers), weight(dispatcher, weights);
  const Plan plan = dispatcher.plan(
      "layernorm", {{"rows", long_rows}, {"columns", long_columns}, {"T", "float"}, {"DATA", "Data::normal"}});
  return is_right(
      dispatcher,
      [&](const Buffer<int>& out) {
        const float* const values = reinterpret_cast<const float*>(weight.data());
        plan.launch(nullptr, reinterpret_cast<float*>(out.data()) + to,
                    reinterpret_cast<const float*>(in.data()) + from, values + to, values + from, 1e-5f, long_rows,
                    long_columns);
      },
      [&](Numbers& expected) {
        for (int i = 0; i < long_rows * long_columns; ++i)
          expected[static_cast<std::size_t>(to + i)] = std::bit_cast<int>(static_cast<float>(from + i % long_columns));
      });
}

// Returns the ways to take long rows: Keep::columns for 132 multiprocessors and for 2, 4 and 8. Where none of these is
// legal, the dispatcher takes a legal configuration near them.
std::vector<Defaults> ways_of_long_rows() {
  std::vector<Defaults> ways{{{"STORE_CACHE", "Cache::streaming"}}};
  struct Way {
    const char *block, *group, *items;
  };
  for (const auto& [block, group, items] :
       {Way{"128", "8", "3"}, Way{"1024", "1", "2"}, Way{"512", "1", "2"}, Way{"256", "1", "2"}})
    ways.push_back({{"TPR", block},
                    {"BLOCK", block},
                    {"KEEP", "Keep::columns"},
                    {"ITEMS", items},
                    {"GROUP", group},
                    {"LAG", "3"},
                    {"STAGES", "2"},
                    {"BLOCKS_PER_SM", "1"}});
  return ways;
}

// Row i of a matrix in CSR has i % 4 * 5 entries, at columns that are taken in turn. Values and x are whole numbers.
bool multiplies_sparse(Dispatcher& dispatcher, int to, int from) {
  constexpr int rows = 5'000, columns = 1'000;
  Numbers offsets(rows + 1), column_of(room), numbers(room);
  for (std::size_t i = 0; i < rows; ++i) offsets[i + 1] = offsets[i] + static_cast<int>(i % 4 * 5);
  for (int i = 0; i < room; ++i) {
    column_of[static_cast<std::size_t>(i)] = i * 7 % columns;
    numbers[static_cast<std::size_t>(i)] = std::bit_cast<int>(value_at(i));
  }
  const int nonzeros = offsets.back();
  const Buffer<int> offsets_there(dispatcher, offsets), columns_there(dispatcher, column_of), in(dispatcher, numbers);
  const Plan plan = dispatcher.plan("spmv", {{"rows", rows},
                                             {"columns", columns},
                                             {"nonzeros", nonzeros},
                                             {"T", "float"},
                                             {"O", "int32"},
                                             {"CLASS", "Class::uniform"}});
  return is_right(
      dispatcher,
      [&](const Buffer<int>& out) {
        const float* const values = reinterpret_cast<const float*>(in.data());
        plan.launch(nullptr, reinterpret_cast<float*>(out.data()) + to, offsets_there.data(), columns_there.data() + to,
                    values + from, values + to, rows, nonzeros);
      },
      [&](Numbers& expected) {
        for (int row = 0; row < rows; ++row) {
          float sum = 0;
          for (int i = offsets[static_cast<std::size_t>(row)]; i < offsets[static_cast<std::size_t>(row) + 1]; ++i)
            sum += value_at(from + i) * value_at(to + column_of[static_cast<std::size_t>(to + i)]);
          expected[static_cast<std::size_t>(to + row)] = std::bit_cast<int>(sum);
        }
      });
}

struct OffsetCase {
  const char* kernel;
  bool (*is_right)(Dispatcher&, int to, int from);
  std::vector<Defaults> defaults;
};

const std::vector<OffsetCase>& cases() {
  static const std::vector<OffsetCase> all{
      {"copy", copies, {{{"VECTOR", "4"}}, {{"VECTOR", "2"}, {"LOAD", "Load::streaming"}}}},
      {"add", adds, {{{"VECTOR", "4"}}, {{"SHAPE", "Shape::rows"}}}},
      {"axpy", scales_and_adds, {{{"VECTOR", "4"}}, {{"VECTOR", "2"}, {"ITEMS", "2"}}}},
      {"transpose",
       transposes,
       {{{"TILE_X", "64"}, {"TILE_Y", "64"}, {"THREADS", "256"}, {"VECTOR", "4"}, {"LAYOUT", "Layout::swizzled"}},
        {{"TILE_X", "64"},
         {"TILE_Y", "64"},
         {"THREADS", "256"},
         {"VECTOR", "4"},
         {"LAYOUT", "Layout::swizzled"},
         {"LOAD", "Load::async"}}}},
      {"gemm_batched",
       multiplies,
       {{{"STAGES", "3"}}, {{"LOAD", "Load::registers"}, {"STAGES", "1"}, {"BLOCKS_PER_SM", "0"}}}},
      {"matmul", multiplies_by_tiles, {{{"GROUP", "8"}}, {{"STEP", "Step::registers"}, {"STAGES", "1"}, {"BK", "8"}}}},
      {"gemm_tensor",
       multiplies_on_tensor_cores,
       {{{"BM", "64"}, {"BN", "64"}, {"CONSUMERS", "1"}, {"STAGES", "6"}, {"CLUSTER", "1"}, {"WRITTEN", "64"}},
        {{"UNIT", "Unit::mma"}, {"BM", "64"}, {"BN", "64"}, {"WM", "32"}, {"STAGES", "3"}, {"CLUSTER", "1"}}}},
      {"rowsum", sums_rows, {{{"TPR", "32"}}, {{"WAY", "Way::tiles"}, {"TPR", "16"}, {"BLOCKS_PER_SM", "1"}}}},
      {"argmax", finds_maxima, {{{"TPR", "32"}}, {{"WAY", "Way::tiles"}, {"TPR", "16"}, {"BLOCKS_PER_SM", "1"}}}},
      {"softmax", takes_softmax, ways_of_long_rows()},
      {"layernorm", normalizes, ways_of_long_rows()},
      {"spmv",
       multiplies_sparse,
       {{{"ITEMS", "2"}, {"VECTOR", "4"}},
        {{"ALGORITHM", "Algorithm::merge"}, {"ITEMS", "4"}, {"VECTOR", "2"}},
        {{"ALGORITHM", "Algorithm::rows"}, {"ITEMS", "1"}, {"VECTOR", "4"}, {"RESIDENT", "1024"}}}},
      {"components", labels, {{{"STRIP", "1"}}, {{"STRIP", "1"}, {"HANDOVER", "Handover::labels"}}}},
  };
  return all;
}

}  // namespace

std::vector<std::string> wrong_results_of_offset_arrays(const std::string& device) {
  std::vector<std::string> wrong;
  for (const OffsetCase& one : cases()) {
    for (const Defaults& defaults : one.defaults) {
      const std::unique_ptr<Dispatcher> dispatcher = dispatcher_with(device, one.kernel, defaults);
      for (const auto& [to, from] : {std::pair{0, 0}, {0, 1}, {1, 1}, {2, 3}, {3, 0}, {most_offset, 4}})
        if (!one.is_right(*dispatcher, to, from))
          wrong.push_back(fmt::format("{} {}from {} to {}", one.kernel, text_of(defaults), from, to));
    }
  }
  return wrong;
}

}  // namespace attune::test
