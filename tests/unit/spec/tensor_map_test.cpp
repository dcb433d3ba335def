// Tensor maps in kernel files: what is read, refused, limited and hashed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attune/search_space.hpp"
#include "kernel/instantiate.hpp"
#include "kernel/legality.hpp"
#include "spec/kernel_file.hpp"
#include "support/message_of.hpp"
#include "support/tiles_kernel.hpp"
#include "unit/spec/everything.hpp"

namespace attune::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

KernelSpec read(std::string_view before = "", std::string_view after = "") {
  return read_kernel_text(edited(test::tiles_file(), before, after), "tiles.cu");
}

DeviceInfo device_of(const std::string& kind, const std::string& architecture = "sm_90") {
  DeviceInfo device = device_limits(architecture);
  device.kind = kind;
  return device;
}

Problem problem_of(std::int64_t width, const char* type) {
  return Problem({{"width", width}, {"height", 48}, {"T", type}});
}

Configuration tile(bool tensor, int x, int y) { return {{"TENSOR", tensor}, {"TILE_X", x}, {"TILE_Y", y}}; }

// What resolving the arguments says of a configuration.
std::string refusal(const KernelSpec& spec, const Problem& problem, const Configuration& configuration,
                    const DeviceInfo& device) {
  return message_of<Error>([&] { resolve_arguments(spec, problem, &configuration, device); });
}

TEST(TensorMaps, AreReadFromTheDocumentation) {
  const KernelSpec spec = read();
  const Argument* const map = spec.find_argument("in_tiles");
  ASSERT_NE(map, nullptr);
  EXPECT_EQ(map->role, Role::map);
  ASSERT_TRUE(map->tiles);
  EXPECT_EQ(map->tiles->array, "in");
  EXPECT_EQ(map->tiles->shape.size(), 2u);
  EXPECT_TRUE(map->tiles->strides.empty());
  EXPECT_EQ(map->tiles->box[1].text(), "TILE_Y");
  EXPECT_EQ(map->tiles->swizzle->text(), "TILE_X * sizeof(T)");
  EXPECT_EQ(map->tiles->when->text(), "TENSOR");
}

TEST(TensorMaps, BecomeALayoutInBytes) {
  const KernelSpec whole = read_kernel_text(
      edited(edited(test::tiles_file(), "shape = [\"width\", \"height\"]",
                    "shape = [\"width / 2\", 4, \"height / 4\"], strides = [\"width\", \"4 * width\"]"),
             "box = [\"TILE_X\", \"TILE_Y\"]", "box = [\"TILE_X\", 2, \"TILE_Y\"]"),
      "tiles.cu");
  const Configuration configuration = tile(true, 16, 8);
  const auto arguments = resolve_arguments(whole, problem_of(100, "double"), &configuration, device_of("cuda"));
  EXPECT_EQ(arguments[2].role, Role::map);
  EXPECT_EQ(arguments[2].type, "double");
  EXPECT_EQ(arguments[2].bytes, 128u);
  ASSERT_TRUE(arguments[2].map);
  EXPECT_EQ(arguments[2].map->array, 1u);
  const TensorLayout& layout = arguments[2].map->layout;
  EXPECT_EQ(layout.element_bytes, 8u);
  EXPECT_EQ(layout.shape, (std::vector<std::uint64_t>{50, 4, 12}));
  EXPECT_EQ(layout.strides, (std::vector<std::uint64_t>{800, 3200}));
  EXPECT_EQ(layout.box, (std::vector<std::uint32_t>{16, 2, 8}));
  EXPECT_EQ(layout.swizzle, 128u);
}

TEST(TensorMaps, HaveNoLayoutWhereTheyAreNotWanted) {
  const Configuration configuration = tile(false, 300, 257);
  const auto arguments =
      resolve_arguments(read(), problem_of(101, "double2"), &configuration, device_of("cuda", "sm_80"));
  EXPECT_FALSE(arguments[2].map);
  EXPECT_EQ(arguments[2].bytes, 128u);
  EXPECT_FALSE(resolve_arguments(read(), problem_of(101, "double2"), nullptr, device_of("cuda"))[2].map);
}

TEST(TensorMaps, AreLimitedAlikeInTheSpaceForOneConfigurationAndInWords) {
  const KernelSpec spec = read();
  const struct {
    DeviceInfo device;
    Problem problem;
    std::size_t with_map;  // configurations
  } table[] = {
      {device_of("cuda"), problem_of(100, "float"), 6},  // 8, 16 or 32 floats, 8 or 32 rows
      {device_of("host"), problem_of(100, "float"), 6},  {device_of("cuda", "sm_80"), problem_of(100, "float"), 0},
      {device_of("cuda"), problem_of(101, "float"), 0},  // rows of 404 bytes
      {device_of("cuda"), problem_of(102, "double"), 4}, {device_of("cuda"), problem_of(102, "int2"), 4},
      {device_of("cuda"), problem_of(112, "int8"), 2},   {device_of("cuda"), problem_of(112, "double2"), 0},
  };
  for (const auto& [device, problem, with_map] : table) {
    const SearchSpace space = make_space(spec, problem, device);
    std::size_t legal = 0, mapped = 0;
    for (const bool tensor : {true, false})
      for (const int x : {32, 8, 16, 6, 300})
        for (const int y : {8, 32, 257}) {
          const Configuration configuration = tile(tensor, x, y);
          const bool one = legal_configuration(spec, problem, device, configuration).has_value();
          EXPECT_EQ(one, space.contains(configuration)) << problem.text() << " " << configuration.text();
          EXPECT_EQ(one, refusal(spec, problem, configuration, device) == "no error") << configuration.text();
          legal += one;
          mapped += one && tensor;
        }
    EXPECT_EQ(mapped, with_map) << problem.text();
    EXPECT_EQ(legal, with_map + 15);
  }
}

TEST(TensorMaps, NameTheRuleThatAConfigurationBreaks) {
  const KernelSpec spec = read();
  const DeviceInfo device = device_of("cuda");
  EXPECT_THAT(refusal(spec, problem_of(100, "float"), tile(true, 6, 8), device),
              AllOf(HasSubstr("argument `in_tiles`"), HasSubstr("a row of its box is 24 bytes"),
                    HasSubstr("`(TILE_X) * sizeof(T)`"), HasSubstr("multiples of 16")));
  EXPECT_THAT(refusal(spec, problem_of(100, "float"), tile(true, 300, 8), device),
              AllOf(HasSubstr("its box[0] is 300"), HasSubstr("1 to 256")));
  EXPECT_THAT(refusal(spec, problem_of(100, "float"), tile(true, 32, 257), device), HasSubstr("its box[1] is 257"));
  EXPECT_THAT(refusal(spec, problem_of(100, "double"), tile(true, 32, 8), device),
              AllOf(HasSubstr("its swizzle is 256 bytes"), HasSubstr("0, 32, 64 or 128")));
  EXPECT_THAT(refusal(spec, problem_of(101, "float"), tile(true, 32, 8), device),
              AllOf(HasSubstr("the stride of its dimension 1 is 404 bytes"), HasSubstr("multiples of 16")));
  EXPECT_THAT(refusal(spec, problem_of(100, "double2"), tile(true, 8, 8), device),
              AllOf(HasSubstr("an element is 16 bytes"), HasSubstr("1, 2, 4 or 8")));
  EXPECT_THAT(refusal(spec, problem_of(100, "float"), tile(true, 32, 8), device_of("cuda", "sm_80")),
              AllOf(HasSubstr("compute capability is 80"), HasSubstr("90 and more")));
  EXPECT_THAT(refusal(read("swizzle = \"TILE_X * sizeof(T)\"", "swizzle = 128"), problem_of(100, "float"),
                      tile(true, 8, 8), device),
              AllOf(HasSubstr("a row of its box is 32 bytes"), HasSubstr("as many as its swizzle, `128`")));
  EXPECT_THAT(refusal(read("\"width\", \"height\"], box", "\"width\", \"height + 1\"], box"), problem_of(100, "float"),
                      tile(true, 32, 8), device),
              AllOf(HasSubstr("the part of `in` that it reaches is 4900 elements"), HasSubstr("`width * height`")));
  const char* const narrower = "\", shape = [\"width - 1\", \"height\"], strides = [\"width\"], box";
  EXPECT_EQ(refusal(read("\", shape = [\"width\", \"height\"], box", narrower), problem_of(100, "float"),
                    tile(true, 32, 8), device),
            "no error");
  EXPECT_THAT(refusal(read("in\", shape = [\"width\", \"height\"], box", std::string("out") + narrower),
                      problem_of(100, "float"), tile(true, 32, 8), device),
              AllOf(HasSubstr("a row of `out`, which is written, is 396 bytes"), HasSubstr("multiples of 16")));
  EXPECT_THAT(refusal(spec, problem_of((1LL << 31) + 16, "int8"), tile(true, 32, 8), device),
              AllOf(HasSubstr("its shape[0] is 2147483664"), HasSubstr("1 to 2^31")));
}

TEST(TensorMaps, ThatAreWrittenWronglyAreRefused) {
  const std::pair<const char*, std::pair<const char*, const char*>> table[] = {
      {"tensor = \"in\"", {"tensor = \"inn\"", "`inn` is no array of [arguments]; did you mean `in`"}},
      {"tensor = \"in\"", {"tensor = \"width\"", "`width` is no array"}},
      {"tensor = \"in\"", {"tensor = \"in\", type = \"T\"", "`type` does not go with `tensor`"}},
      {"tensor = \"in\"", {"tensor = \"in\", boxes = 1", "`boxes`"}},
      {", box = [\"TILE_X\", \"TILE_Y\"]", {"", "needs `box`"}},
      {"\"TILE_X\", \"TILE_Y\"], when", {"\"TILE_X\"], when", "expected 2, one for each dimension"}},
      {"\"TILE_X\", \"TILE_Y\"], when", {"\"TILE_X\", \"TILE_Z\"], when", "did you mean `TILE_X`"}},
      {"\"TILE_X\", \"TILE_Y\"], when", {"\"TILE_X\", 0], when", "at least 1"}},
      {"box = [", {"strides = [1, 2], box = [", "expected 1, found 2"}},
      {"\"width\", \"height\"], box", {"\"width\", \"TILE_Y\"], box", "`TILE_Y` in `TILE_Y` is a parameter"}},
      {"\"width\", \"height\"], box", {"1, 1, 1, 1, 1, 1], box", "1 to 5 dimensions, found 6"}},
      {"when = \"TENSOR\"", {"when = \"TENSER\"", "did you mean `TENSOR`"}},
      {"block = [256]\narguments = [\"out\", \"in\"",
       {"block = [256]\narguments = [\"out\", \"in_tiles\"", "[[reference]] steps take its array `in`"}},
      {"entry = \"copy<T", {"memset = \"in_tiles\"\n[[launch]]\nentry = \"copy<T", "`in_tiles` is a tensor map"}},
      {"\"in\", \"in_tiles\", \"width\", \"height\"", {"\"in\", \"width\", \"height\"", "no step uses the argument"}},
  };
  for (const auto& [before, change] : table)
    EXPECT_THAT(message_of<SpecError>([&, before = before, after = change.first] { read(before, after); }),
                HasSubstr(change.second))
        << change.first;
}

TEST(TensorMaps, AreInTheContract) {
  const std::string before = read().fingerprints.contract;
  const std::pair<const char*, const char*> changes[] = {{"swizzle = \"TILE_X * sizeof(T)\"", "swizzle = 64"},
                                                         {", swizzle = \"TILE_X * sizeof(T)\"", ""},
                                                         {"\"TILE_X\", \"TILE_Y\"], when", "\"TILE_X\", 8], when"},
                                                         {"box = [", "strides = [\"width\"], box = ["},
                                                         {"when = \"TENSOR\", ", ""},
                                                         {"tensor = \"in\"", "tensor = \"out\""}};
  for (const auto& [text, after] : changes) EXPECT_NE(read(text, after).fingerprints.contract, before) << after;
}

TEST(TensorMaps, ReplaceTheirArrayInALaunch) {
  // The kernel gets the map alone; the application passes `in` all the same.
  const KernelSpec spec = read("\"in\", \"in_tiles\", \"width\"", "\"in_tiles\", \"width\"");
  EXPECT_TRUE(use_argument(spec, spec.launch, "in"));
  EXPECT_FALSE(use_argument(spec.launch, "in"));
}

}  // namespace
}  // namespace attune::tests
