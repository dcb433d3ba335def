// Loading the NVRTC of this machine, and what is said when that does not work.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "device/cuda/cuda_device.hpp"
#include "support/child.hpp"
#include "support/nvrtc.hpp"

namespace attune::cuda {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class NvrtcLoad : public test::NvrtcTest {};

std::string failure_of(const NvrtcSearch& search) {
  try {
    load_nvrtc(search);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_F(NvrtcLoad, KnowsItsVersionItsPlaceAndItsArchitectures) {
  const NvrtcLibrary& library = nvrtc();
  EXPECT_GE(library.major, 11);
  EXPECT_TRUE(fs::exists(library.file)) << library.file;
  EXPECT_THAT(library.architectures, testing::Contains(80));
  EXPECT_EQ(nvrtc_version(), "NVRTC " + std::to_string(library.major) + "." + std::to_string(library.minor));
  EXPECT_EQ(load_nvrtc({library.file.string(), {}, 0}).file, library.file) << "what a setting names is taken";
}

TEST_F(NvrtcLoad, RefusesOneThatIsNewerThanTheDriverButForTheMinorVersion) {
  const NvrtcLibrary& library = nvrtc();
  EXPECT_EQ(load_nvrtc({library.file.string(), {}, library.major * 1000}).major, library.major);
  EXPECT_THAT(failure_of({library.file.string(), {}, (library.major - 1) * 1000}),
              AllOf(HasSubstr("is newer than the driver"), HasSubstr(library.name())));
  if (library.major <= 11) GTEST_SKIP() << "no NVRTC is newer than a driver of CUDA 11";
  // A driver of CUDA 10 takes none of the versions that are looked for.
  EXPECT_THAT(failure_of({"", {library.file.parent_path()}, 10020}),
              AllOf(testing::ContainsRegex("NVRTC 1[0-9]\\.[0-9] at .* is newer than the driver"),
                    HasSubstr("CUDA 10.2"), HasSubstr("update the NVIDIA driver")));
}

// Returns what loading says in a process of its own, which finds a damaged companion library first: the loader reads
// LD_LIBRARY_PATH when a process starts. `place` puts the library into a folder.
template <typename Place>
std::string complaint_beside_damage(const NvrtcLibrary& library, const Place& place) {
  const fs::path folder = fs::path(testing::TempDir()) / ("attune_builtins_" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / fmt::format("libnvrtc-builtins.so.{}.{}", library.major, library.minor)) << "damaged";
  const fs::path file = folder / library.file.filename();
  place(library.file, file);
  const std::string text =
      test::report_of_child("NvrtcChild.DISABLED_ReportWhatIsMissing",
                            "LD_LIBRARY_PATH='" + folder.string() + "' ATTUNE_NVRTC='" + file.string() + "'");
  fs::remove_all(folder);
  return text;
}

TEST_F(NvrtcLoad, NamesTheCompanionLibraryThatIsMissing) {
  const NvrtcLibrary& library = nvrtc();
  EXPECT_THAT(
      complaint_beside_damage(library, [](const fs::path& from, const fs::path& to) { fs::copy_file(from, to); }),
      HasSubstr(fmt::format("lacks its companion libnvrtc-builtins.so.{}.{}", library.major, library.minor)));
}

TEST_F(NvrtcLoad, TakesTheCompanionLibraryThatLiesBesideIt) {
  EXPECT_EQ(
      complaint_beside_damage(nvrtc(), [](const fs::path& from, const fs::path& to) { fs::create_symlink(from, to); }),
      "");
}

TEST(NvrtcChild, DISABLED_ReportWhatIsMissing) { test::report(test::nvrtc_missing()); }

}  // namespace
}  // namespace attune::cuda
