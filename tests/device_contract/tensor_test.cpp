// Tensor maps: encoded by the device, read and written by attune_async.cuh.
#include <cstring>

#include "device_contract/contract_test.hpp"
#include "spec/kernel_file.hpp"

namespace attune {
namespace {

using test::Array;
using Bytes = std::vector<unsigned char>;
using Place = std::array<int, 5>;

// A box of an array of up to five dimensions; a dimension of size 1 is none.
struct TensorCase {
  const char* type;
  std::uint32_t bytes, swizzle;  // bytes of an element; swizzle of the map
  std::size_t dimensions;
  Place box, shape;
  std::array<int, 4> pitch;  // of dimensions 1 to 4, in elements

  std::string arguments() const {
    return std::string(type) + ", " + std::to_string(swizzle) + ", " + std::to_string(dimensions) + ", " +
           std::to_string(box_elements());
  }
  TensorLayout layout() const {
    TensorLayout made;
    made.element_bytes = bytes;
    made.swizzle = swizzle;
    for (std::size_t i = 0; i < dimensions; ++i) {
      made.shape.push_back(static_cast<std::uint64_t>(shape[i]));
      made.box.push_back(static_cast<std::uint32_t>(box[i]));
      if (i > 0) made.strides.push_back(static_cast<std::uint64_t>(pitch[i - 1]) * bytes);
    }
    return made;
  }
  std::size_t box_elements() const {
    std::size_t elements = 1;
    for (const int extent : box) elements *= static_cast<std::size_t>(extent);
    return elements;
  }
  std::size_t array_elements() const {
    const std::size_t last = dimensions - 1;
    return static_cast<std::size_t>(dimensions == 1 ? pitch[0] : pitch[last - 1] * shape[last]);
  }
  // Returns which element of the array is element `i` of a box at `first`; none outside. Rows end at a multiple of
  // `piece` bytes.
  std::optional<std::size_t> in_array(std::size_t i, const Place& first, std::uint32_t piece) const {
    const int row =
        static_cast<int>((static_cast<std::uint32_t>(shape[0]) * bytes + piece - 1) / piece * piece / bytes);
    int left = static_cast<int>(i), element = 0;
    for (std::size_t k = 0; k < 5; ++k) {
      const int place = first[k] + left % box[k];
      left /= box[k];
      if (place < 0 || place >= (k == 0 ? row : shape[k])) return std::nullopt;
      element += place * (k == 0 ? 1 : pitch[k - 1]);
    }
    return static_cast<std::size_t>(element);
  }
};

const TensorCase table[] = {
    {"int", 4, 0, 2, {32, 8, 1, 1, 1}, {101, 37, 1, 1, 1}, {104}},
    {"int", 4, 128, 2, {32, 16, 1, 1, 1}, {101, 37, 1, 1, 1}, {104}},
    {"int", 4, 64, 2, {16, 24, 1, 1, 1}, {64, 64, 1, 1, 1}, {64}},
    {"int", 4, 32, 2, {8, 40, 1, 1, 1}, {33, 70, 1, 1, 1}, {36}},
    {"unsigned char", 1, 128, 2, {128, 9, 1, 1, 1}, {1000, 21, 1, 1, 1}, {1008}},
    {"short", 2, 128, 2, {64, 64, 1, 1, 1}, {130, 65, 1, 1, 1}, {136}},
    {"long long", 8, 128, 2, {16, 33, 1, 1, 1}, {18, 40, 1, 1, 1}, {18}},
    {"long long", 8, 0, 2, {34, 5, 1, 1, 1}, {35, 40, 1, 1, 1}, {36}},
    {"int", 4, 0, 1, {256, 1, 1, 1, 1}, {999, 1, 1, 1, 1}, {1000}},
    {"int", 4, 0, 3, {20, 6, 3, 1, 1}, {41, 13, 7, 1, 1}, {44, 44 * 15}},
    {"short", 2, 64, 3, {32, 4, 5, 1, 1}, {70, 9, 8, 1, 1}, {72, 72 * 9}},
    {"int", 4, 0, 4, {12, 3, 4, 2, 1}, {17, 5, 6, 3, 1}, {20, 100, 700}},
    {"short", 2, 32, 4, {16, 5, 2, 3, 1}, {41, 7, 5, 4, 1}, {48, 48 * 7, 48 * 35}},
    {"unsigned char", 1, 0, 5, {48, 2, 3, 2, 2}, {70, 4, 5, 3, 3}, {80, 320, 1600, 5120}},
};

// The box as the kernel sees it: written out, or made of its numbers.
constexpr const char* tensor_source = R"(#include "attune_async.cuh"
template <class T, int SWIZZLE, int DIMENSIONS, int ELEMENTS>
__global__ void load(T* out, const __grid_constant__ attune::TensorMap map, int x, int y, int z, int u, int v) {
  alignas(1024) __shared__ T box[ELEMENTS];
  __shared__ attune::Barrier full;
  if (threadIdx.x == 0) {
    attune::prefetch(map);
    attune::init(full, 1);
    attune::fence_barriers();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    attune::arrive_expecting(full, sizeof box);
    if constexpr (DIMENSIONS == 1) attune::load_tensor(box, map, full, x);
    if constexpr (DIMENSIONS == 2) attune::load_tensor(box, map, full, x, y);
    if constexpr (DIMENSIONS == 3) attune::load_tensor(box, map, full, x, y, z);
    if constexpr (DIMENSIONS == 4) attune::load_tensor(box, map, full, x, y, z, u);
    if constexpr (DIMENSIONS == 5) attune::load_tensor(box, map, full, x, y, z, u, v);
  }
  attune::wait(full, 0);
  for (int i = threadIdx.x; i < ELEMENTS; i += blockDim.x) out[i] = box[attune::swizzled<SWIZZLE, sizeof(T)>(i)];
}
template <class T, int SWIZZLE, int DIMENSIONS, int ELEMENTS>
__global__ void store(const T* in, const __grid_constant__ attune::TensorMap map, int x, int y, int z, int u, int v) {
  alignas(1024) __shared__ T box[ELEMENTS];
  for (int i = threadIdx.x; i < ELEMENTS; i += blockDim.x) box[attune::swizzled<SWIZZLE, sizeof(T)>(i)] = in[i];
  attune::fence_shared_for_bulk();
  __syncthreads();
  if (threadIdx.x != 0) return;
  if constexpr (DIMENSIONS == 1) attune::store_tensor(map, box, x);
  if constexpr (DIMENSIONS == 2) attune::store_tensor(map, box, x, y);
  if constexpr (DIMENSIONS == 3) attune::store_tensor(map, box, x, y, z);
  if constexpr (DIMENSIONS == 4) attune::store_tensor(map, box, x, y, z, u);
  if constexpr (DIMENSIONS == 5) attune::store_tensor(map, box, x, y, z, u, v);
  attune::commit_stores();
  attune::wait_for_stores<0>();
}
__global__ void ask(int* out, const __grid_constant__ attune::TensorMap map) { out[0] = attune::usable(map) ? 1 : 0; }
)";

Bytes numbered(std::size_t bytes, unsigned factor) {
  Bytes values(bytes);
  for (std::size_t i = 0; i < bytes; ++i) values[i] = static_cast<unsigned char>((i * factor + i / 251) % 256);
  return values;
}

class TensorContract : public test::ContractTest {
 protected:
  struct alignas(64) Map {
    std::byte bytes[tensor_map_bytes] = {};
  };
  void SetUp() override {
    ContractTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (!is_host() && device().info().compute_capability < 90)
      GTEST_SKIP() << "tensor maps need compute capability 9.0";
    ImageRequest wanted = request(tensor_source, {});
    for (const EmbeddedHeader& header : builtin_headers())
      wanted.source.headers.push_back({std::string(header.name), std::string(header.text)});
    for (const TensorCase& one : table)
      for (const char* const entry : {"load<", "store<"}) wanted.expressions.push_back(entry + one.arguments() + ">");
    wanted.expressions.emplace_back("ask");
    std::sort(wanted.expressions.begin(), wanted.expressions.end());
    module_ = load(wanted);
    ASSERT_NE(module_, nullptr);
  }
  Map encoded(const TensorCase& one, void* array) {
    Map map;
    const Status status = device().encode_map(one.layout(), array, &map);
    EXPECT_TRUE(status.ok()) << status.detail;
    return map;
  }
  void run(const std::string& entry, const TensorCase& one, void* plain, Map& map, Place& first) {
    const Status status = launch(*module_, entry + "<" + one.arguments() + ">", test::shape(1, 96),
                                 {plain, &map, &first[0], &first[1], &first[2], &first[3], &first[4]});
    EXPECT_TRUE(status.ok()) << status.detail;
  }
  std::shared_ptr<Module> module_;
};

// Corners inside and outside of the array, on every side. The first coordinate is a multiple of 16 bytes.
std::vector<Place> corners(const TensorCase& one) {
  const int step = static_cast<int>(16 / one.bytes);
  const auto place = [&](int x, const Place& others) {
    Place made{x};
    for (std::size_t i = 1; i < one.dimensions; ++i) made[i] = others[i];
    return made;
  };
  const Place& shape = one.shape;
  return {{},
          place(one.box[0], {0, 1, 2, 1, 1}),
          place((shape[0] - 1) / step * step, {0, shape[1] - 2, shape[2] - 1, shape[3] - 1, shape[4] - 2}),
          place(-step, {0, -1, -1, -1, -1}),
          place((shape[0] + step) / step * step, {})};
}

TEST_F(TensorContract, LoadsBoxesWithZerosOutside) {
  for (const TensorCase& one : table) {
    Bytes values = numbered(one.array_elements() * one.bytes, 7);
    Array<unsigned char> in(device(), values), out(device(), one.box_elements() * one.bytes, 0xEE);
    Map map = encoded(one, in.data());
    for (Place& first : corners(one)) {
      run("load", one, out.parameter(), map, first);
      Bytes expected(one.box_elements() * one.bytes, 0);
      for (std::size_t i = 0; i < one.box_elements(); ++i)
        if (const auto from = one.in_array(i, first, one.bytes))
          std::memcpy(&expected[i * one.bytes], &values[*from * one.bytes], one.bytes);
      EXPECT_EQ(out.values(), expected) << one.arguments() << " at " << testing::PrintToString(first);
    }
  }
}

// A store tells inside from outside in units of 16 bytes: in the last unit of a row it also writes into the row's
// padding.
TEST_F(TensorContract, StoresWhatLiesInside) {
  for (const TensorCase& one : table) {
    const Bytes box = numbered(one.box_elements() * one.bytes, 11);
    Array<unsigned char> in(device(), box);
    for (Place& first : corners(one)) {
      if (first[0] < 0) continue;  // a fault: a stored box must not begin before its row
      Bytes expected(one.array_elements() * one.bytes, 0xEE);
      Array<unsigned char> array(device(), expected);
      Map map = encoded(one, array.data());
      run("store", one, in.parameter(), map, first);
      for (std::size_t i = 0; i < one.box_elements(); ++i)
        if (const auto to = one.in_array(i, first, 16))
          std::memcpy(&expected[*to * one.bytes], &box[i * one.bytes], one.bytes);
      EXPECT_EQ(array.values(), expected) << one.arguments() << " at " << testing::PrintToString(first);
    }
  }
}

TEST_F(TensorContract, AMapOfZerosIsNotUsable) {
  Array<int> out(device(), 1, -1), in(device(), table[0].array_elements());
  Map map;
  EXPECT_TRUE(launch(*module_, "ask", test::shape(1, 1), {out.parameter(), &map}).ok());
  EXPECT_EQ(out[0], 0);
  map = encoded(table[0], in.data());
  EXPECT_TRUE(launch(*module_, "ask", test::shape(1, 1), {out.parameter(), &map}).ok());
  EXPECT_EQ(out[0], 1);
}

}  // namespace
}  // namespace attune
