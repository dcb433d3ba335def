#include "bundle/kernel_pack.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attune/bundle.hpp"
#include "attune/search_space.hpp"
#include "kernel/instantiate.hpp"
#include "kernel/legality.hpp"
#include "kernel/problem.hpp"
#include "spec/kernel_file.hpp"
#include "spec/pack.hpp"

namespace attune {
namespace {

// A kernel whose first configuration is legal nowhere but for small sizes.
constexpr const char* picky_file = R"cu(/*attune
[kernel]
name = "picky"
[problem]
n = { size = 4096 }
T = ["float", "double"]
[parameters]
BLOCK = [1024, 512, 64]
VECTOR = [4, 2, 1]
[restrictions]
rules = ["n % (BLOCK * VECTOR) == 0 || VECTOR == 1", "VECTOR * sizeof(T) <= 16",
         "device.compute_capability >= 80 || BLOCK <= 512"]
[[launch]]
entry = "picky<T, BLOCK, VECTOR>"
grid = ["ceil_div(n, BLOCK)"]
block = ["BLOCK"]
arguments = ["out", "n"]
[arguments]
out = { type = "T", size = "n", role = "out" }
n = { type = "int64" }
*/
template <typename T, int BLOCK, int VECTOR>
__global__ void picky(T* out, long long n) {}
)cu";

std::vector<std::string> texts(const std::vector<Configuration>& configurations) {
  std::vector<std::string> found;
  for (const Configuration& configuration : configurations) found.push_back(configuration.text());
  return found;
}

// All that an application computes from a kernel is the same from its pack.
TEST(KernelPack, ServesAsTheKernelFileDoes) {
  for (const EmbeddedFile& file : builtin_kernels()) {
    SCOPED_TRACE(file.file_name);
    const KernelSpec spec = read_embedded_kernel(file);
    const std::optional<KernelPack> pack = decode_pack(encode(make_pack(spec, "here")));
    ASSERT_TRUE(pack.has_value());
    EXPECT_EQ(pack->tune_target, "here");
    EXPECT_EQ(pack->spec.name, spec.name);
    EXPECT_EQ(pack->spec.fingerprints.code, spec.fingerprints.code);
    EXPECT_EQ(pack->spec.fingerprints.contract, spec.fingerprints.contract);
    EXPECT_EQ(pack->spec.parameters, spec.parameters);
    ASSERT_TRUE(pack->spec.deterministic.has_value()) << "built-in kernels say of which configurations they are";
    EXPECT_EQ(pack->spec.deterministic->text(), spec.deterministic->text());
    for (const char* const architecture : {"sm_80", "sm_90"}) {
      const DeviceInfo device = device_limits(architecture);
      const Problem problem = make_problem(spec, {}, device.kind);
      EXPECT_EQ(make_problem(pack->spec, {}, device.kind), problem);
      const Configuration chosen = default_configuration(spec, problem, device).value();
      ASSERT_TRUE(legal_configuration(pack->spec, problem, device, chosen).has_value());
      EXPECT_EQ(launch_image_request(pack->spec, problem, chosen, device).key(""),
                launch_image_request(spec, problem, chosen, device).key(""));
      const auto steps = resolve_steps(spec, spec.launch, problem, &chosen, device);
      const auto again = resolve_steps(pack->spec, pack->spec.launch, problem, &chosen, device);
      ASSERT_EQ(again.size(), steps.size());
      for (std::size_t i = 0; i < steps.size(); ++i) {
        EXPECT_EQ(again[i].expression, steps[i].expression);
        EXPECT_EQ(again[i].shape, steps[i].shape);
        EXPECT_EQ(again[i].arguments, steps[i].arguments);
      }
      const auto arguments = resolve_arguments(spec, problem, &chosen, device);
      const auto same = resolve_arguments(pack->spec, problem, &chosen, device);
      ASSERT_EQ(same.size(), arguments.size());
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        EXPECT_EQ(same[i].bytes, arguments[i].bytes);
        EXPECT_EQ(same[i].role, arguments[i].role);
        EXPECT_EQ(same[i].value, arguments[i].value);
      }
    }
  }
}

TEST(KernelPack, HasAFallBackForWhateverProblemAndDeviceThereIs) {
  const KernelSpec spec = read_kernel_text(picky_file, "picky.cu");
  const KernelPack pack = make_pack(spec, "picky.cu");
  ASSERT_FALSE(pack.fallbacks.empty());
  EXPECT_EQ(pack.fallbacks.front().text(), "BLOCK=1024 VECTOR=4");
  EXPECT_LE(pack.fallbacks.size(), most_fallbacks);
  for (const char* const architecture : {"sm_70", "sm_75", "sm_90", "sm_120"})
    for (const std::int64_t n : {1, 7, 4096, 1 << 20, 999983}) {
      const DeviceInfo device = device_limits(architecture);
      const Problem problem{{"n", n}, {"T", "double"}};
      EXPECT_TRUE(std::ranges::any_of(pack.fallbacks,
                                      [&](const Configuration& fallback) {
                                        return legal_configuration(spec, problem, device, fallback).has_value();
                                      }))
          << architecture << " " << n << ": " << testing::PrintToString(texts(pack.fallbacks));
    }
  EXPECT_EQ(why_illegal(spec, Problem{{"n", 7}, {"T", "float"}}, device_limits("sm_90"), pack.fallbacks.front()),
            "n % (BLOCK * VECTOR) == 0 || VECTOR == 1 does not hold");
}

// At 4096, which is tried first, nothing is legal on any device.
TEST(KernelPack, HasAFallBackForSizesBehindThoseThatHaveNone) {
  std::string file(picky_file);
  file.insert(file.find("rules = [") + 9, "\"n != 4096\", \"n != 1000 || BLOCK < 1024\", ");
  const KernelSpec spec = read_kernel_text(file, "picky.cu");
  const KernelPack pack = make_pack(spec, "picky.cu");
  const Problem problem{{"n", 1000}, {"T", "float"}};
  EXPECT_TRUE(std::ranges::any_of(pack.fallbacks, [&](const Configuration& fallback) {
    return legal_configuration(spec, problem, device_limits("sm_90"), fallback).has_value();
  })) << testing::PrintToString(texts(pack.fallbacks));
}

TEST(KernelPack, IsRefusedWhereverItIsCut) {
  const std::vector<std::byte> whole = encode(make_pack(read_kernel_text(picky_file, "picky.cu"), "picky.cu"));
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(decode_pack(std::span(whole).first(length)).has_value()) << length;
  for (std::size_t i = 0; i < whole.size(); ++i) {  // any answer but a crash
    std::vector<std::byte> changed = whole;
    changed[i] ^= std::byte{0xff};
    static_cast<void>(decode_pack(changed));
  }
}

TEST(KernelPack, HasNoNamesWithControlCharacters) {
  const KernelPack sound = make_pack(read_kernel_text(picky_file, "picky.cu"), "picky.cu");
  const auto expect_refused = [&](const auto& change) {
    KernelPack pack = sound;
    change(pack);
    EXPECT_FALSE(decode_pack(encode(pack)).has_value());
    BundleWriter writer;
    EXPECT_THROW(add_kernel(writer, pack), UsageError);
  };
  expect_refused([](KernelPack& pack) { pack.spec.name += '\n'; });
  expect_refused([](KernelPack& pack) { pack.spec.source.name += '\x1b'; });
  expect_refused([](KernelPack& pack) { pack.tune_target += '\x7f'; });
  expect_refused([](KernelPack& pack) { pack.spec.source.headers.push_back({"a\nb", ""}); });
  expect_refused([](KernelPack& pack) { pack.spec.problem.at(0).name += '\r'; });
  expect_refused([](KernelPack& pack) { pack.spec.parameters.at(0).name += '\x01'; });
  expect_refused([](KernelPack& pack) { pack.spec.arguments.at(0).name += std::string(1, '\0'); });
}

TEST(KernelPack, CarriesWhatIsDeterministic) {
  KernelSpec spec = read_kernel_text(picky_file, "picky.cu");
  const auto carried = [&] { return decode_pack(encode(make_pack(spec, "picky.cu")))->spec.deterministic; };
  EXPECT_FALSE(carried().has_value());
  spec.deterministic.emplace("VECTOR == 1");
  ASSERT_TRUE(carried().has_value());
  EXPECT_EQ(carried()->text(), "VECTOR == 1");
}

TEST(KernelPack, OfAnotherVersionIsRefused) {
  std::vector<std::byte> bytes = encode(make_pack(read_kernel_text(picky_file, "picky.cu"), "picky.cu"));
  ASSERT_EQ(bytes.at(0), std::byte{1});
  ASSERT_TRUE(decode_pack(bytes).has_value());
  bytes[0] = std::byte{2};
  EXPECT_FALSE(decode_pack(bytes).has_value());
}

TEST(KernelPack, LeavesOutWhatTuningAloneUses) {
  const KernelPack pack = make_pack(read_embedded_kernel(builtin_kernels().front()), "add");
  EXPECT_TRUE(pack.spec.reference.empty());
  EXPECT_TRUE(pack.spec.ladders.empty());
  EXPECT_FALSE(pack.spec.metrics.bytes.has_value());
}

}  // namespace
}  // namespace attune
