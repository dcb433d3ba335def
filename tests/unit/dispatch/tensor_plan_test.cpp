// Plans of a kernel with a tensor map: the application passes the array, and attune encodes the map.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <numeric>

#include "dispatch_fixture.hpp"
#include "support/tiles_kernel.hpp"

namespace attune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int width = 100, height = 48, count = width * height;

class TensorPlan : public DispatchTest {
 protected:
  TensorPlan() : gpu_(options()) { add("tiles.cu", test::tiles_file()); }
  void add(const char* name, const std::string& text) {
    const auto path = folder_ / name;
    std::ofstream(path) << text;
    gpu_.add(kernel_file(path));
  }
  static std::vector<float> numbers(float first) {
    std::vector<float> made(count);
    std::iota(made.begin(), made.end(), first);
    return made;
  }
  Dispatcher gpu_;
  Buffer<float> out_{gpu_, count};
};

TEST_F(TensorPlan, EncodesTheMapOfTheArrayThatIsPassed) {
  const Plan plan = gpu_.plan("tiles");
  EXPECT_EQ(plan.configuration().at("TENSOR"), Value(true));
  const Buffer<float> one(gpu_, numbers(1)), two(gpu_, numbers(1000));
  for (int round = 0; round < 2; ++round) {  // each launch has another array than the one before
    plan.launch(nullptr, out_, one, width, height);
    EXPECT_EQ(out_.to_vector(), numbers(1));
    plan.launch(nullptr, out_, two, width, height);
    EXPECT_EQ(out_.to_vector(), numbers(1000));
  }
  const Plan copy = plan;
  copy.launch(nullptr, out_, one, width, height);
  EXPECT_EQ(out_.to_vector(), numbers(1));
  EXPECT_EQ(plan.misaligned_launches(), 0u);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(TensorPlan, RunsWithoutTheMapWhereTheArrayIsMisaligned) {
  const Plan plan = gpu_.plan("tiles");
  const Buffer<float> in(gpu_, numbers(1));
  Buffer<float> longer(gpu_, count + 3);
  for (const int offset : {1, 0, 3, 1}) {
    std::vector<float> values(count + 3, -1);
    std::iota(values.begin() + offset, values.begin() + offset + count, 7.f);
    longer.copy_from(values);
    plan.launch(nullptr, out_, longer.data() + offset, width, height);
    EXPECT_EQ(out_.to_vector(), numbers(7)) << offset;
  }
  EXPECT_EQ(plan.misaligned_launches(), 3u);
  EXPECT_THAT(warnings_, ElementsAre(testing::AllOf(HasSubstr("plan tiles"), HasSubstr("the address of `in`"),
                                                    HasSubstr("no multiple of 16"))));
  plan.launch(nullptr, out_, in, width, height);
  EXPECT_EQ(out_.to_vector(), numbers(1));
  EXPECT_EQ(plan.misaligned_launches(), 3u);
}

TEST_F(TensorPlan, IsForAConfigurationWithoutTheMapWhereThereCanBeNone) {
  const Plan plan = gpu_.plan("tiles", {{"width", 99}});
  EXPECT_EQ(plan.configuration().at("TENSOR"), Value(false));
  const Buffer<float> in(gpu_, numbers(1));
  plan.launch(nullptr, out_, in, 99, height);
  std::vector<float> expected = numbers(1);
  std::fill(expected.begin() + 99 * height, expected.end(), 0.f);
  const std::vector<float> out = out_.to_vector();
  EXPECT_TRUE(std::equal(out.begin(), out.begin() + 99 * height, expected.begin()));
}

// All 128 bytes of it, whoever reads them.
TEST_F(TensorPlan, PassesZerosWhereTheConfigurationHasNoMap) {
  add("words.cu", R"cu(/*attune
[kernel]
name = "words"
[problem]
width = { size = 64 }
[parameters]
TENSOR = [false, true]
[[launch]]
entry = "words<TENSOR>"
grid = ["1"]
block = ["32"]
arguments = ["out", "in", "in_tiles", "seven"]
[arguments]
out = { type = "int32", size = "2", role = "out" }
in = { type = "float", size = "width", role = "in" }
in_tiles = { tensor = "in", shape = ["width"], box = ["32"], when = "TENSOR" }
seven = { type = "int64", value = "7" }
*/
#include "attune_async.cuh"
template <bool TENSOR>
__global__ void words(int* out, const float* in, const __grid_constant__ attune::TensorMap in_tiles, long long seven) {
  if (threadIdx.x != 0) return;
  int bytes = 0;
  for (unsigned i = 0; i < sizeof in_tiles; ++i) bytes += reinterpret_cast<const unsigned char*>(&in_tiles)[i] != 0;
  out[0] = bytes;
  out[1] = static_cast<int>(seven + reinterpret_cast<unsigned long long>(&in_tiles) % alignof(attune::TensorMap));
}
)cu");
  const Plan plan = gpu_.plan("words");
  EXPECT_EQ(plan.configuration().at("TENSOR"), Value(false));
  const Buffer<float> in(gpu_, 64);
  const Buffer<int> out(gpu_, std::vector<int>{-1, -1});
  plan.launch(nullptr, out, in);
  EXPECT_THAT(out.to_vector(), ElementsAre(0, 7));
}

TEST_F(TensorPlan, PassesTheArrayWhereTheKernelTakesItsMapAlone) {
  std::string text = test::tiles_file();
  for (const auto& [before, after] : std::vector<std::pair<std::string, std::string>>{
           {"name = \"tiles\"", "name = \"map_alone\""},
           {"\"in\", \"in_tiles\", \"width\"", "\"in_tiles\", \"width\""},
           {"TENSOR = [true, false]", "TENSOR = [true]"},
           {"const T* in, const __grid_constant__", "const __grid_constant__"},
           {" : in[y * width + x]", " : T(-1)"}})
    text.replace(text.find(before), before.size(), after);
  add("map_alone.cu", text);
  const Plan plan = gpu_.plan("map_alone");
  const Buffer<float> in(gpu_, numbers(5));
  plan.launch(nullptr, out_, in, width, height);
  EXPECT_EQ(out_.to_vector(), numbers(5));
  EXPECT_THROW(plan.launch(nullptr, out_, width, height), UsageError);
}

}  // namespace
}  // namespace attune
