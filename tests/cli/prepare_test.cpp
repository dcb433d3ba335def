// attune prepare: a cache that applications launch from, without a compiler.
#include "cli/workbench.hpp"

namespace attune::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class Prepare : public Workbench {
 protected:
  std::string site() const { return (folder_ / "site").string(); }
  static std::string smooth() { return ATTUNE_SOURCE_DIR "/apps/examples/own_kernel/smooth.cu"; }
  // apps/examples/own_kernel where no compiler is, with an empty cache of its own.
  CommandResult run_without_compiler() const {
    return run("own_kernel", {},
               {.environment = {{"ATTUNE_SITE_CACHE", site()},
                                {"PATH", "/nonexistent"},
                                {"CXX", ""},
                                {"ATTUNE_HOST_CXX", ""},
                                {"ATTUNE_CACHE", (folder_ / "own").string()}}});
  }
  std::string scale_that_does_not_compile() const { return scale_with("T(3) *", "nothing *"); }
};

TEST_F(Prepare, ADefaultIsLaunchedFromTheCacheWithoutACompiler) {
  fs::create_directory(folder_ / "site");
  const CommandResult without = run_without_compiler();
  EXPECT_EQ(without.code, 1) << "there is a compiler: " << without.out;
  EXPECT_EQ(
      output_of({"prepare", smooth(), "--architecture", "host", "--problem", "n=2**20 T=float", "--cache", site()}),
      "compiled  smooth on host for n=1048576 T=float (default): BLOCK=256 ITEMS=1\n"
      "1 compiled, 0 there already, 0 failed; in " +
          site() + "\n");
  const CommandResult result = run_without_compiler();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("1048576 floats: correct"));
  EXPECT_EQ(result.err, "");
  EXPECT_FALSE(fs::exists(folder_ / "own" / "images"));
}

TEST_F(Prepare, ARecordIsLaunchedFromTheCacheWithoutACompiler) {
  output_of({"tune", smooth(), "--problem", "n=2**20 T=float", "--trials", "2", "--time-limit", "2s"});
  const std::string first = output_of({"prepare", smooth(), "--cache", site()});
  EXPECT_THAT(first,
              AllOf(HasSubstr("compiled  smooth on host for n=1048576 T=float (record): "), HasSubstr("1 compiled")));
  const CommandResult result = run_without_compiler();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("was tuned for this problem"), HasSubstr("correct")));
  EXPECT_THAT(output_of({"prepare", smooth(), "--cache", site()}), HasSubstr("0 compiled, 1 there already, 0 failed"));
}

TEST_F(Prepare, AProblemHasTheBestKnownConfigurationOfItsDeviceAndTheDefault) {
  output_of({"tune", smooth(), "--problem", "n=1000", "--parameters", "BLOCK=128 ITEMS=4"});
  const auto images = of_type(
      events_of({"prepare", smooth(), "--problem", "n=1500", "--cache", site(), "--architecture", "host"}), "image");
  ASSERT_EQ(images.size(), 2u) << "that of the record serves the near problem too";
  for (const Json& image : images) EXPECT_EQ(image.at("made"), "compiled") << image;
  std::vector<std::string> configurations = {images[0].at("configuration"), images[1].at("configuration")};
  EXPECT_THAT(configurations, testing::UnorderedElementsAre("BLOCK=128 ITEMS=4", "BLOCK=256 ITEMS=1"));
}

TEST_F(Prepare, ADamagedImageIsMadeAnew) {
  const std::vector<std::string> command = {"prepare",   smooth(), "--architecture", "host",
                                            "--problem", "n=9",    "--cache",        site()};
  output_of(command);
  for (const auto& entry : fs::directory_iterator(folder_ / "site" / "images")) fs::resize_file(entry.path(), 100);
  EXPECT_THAT(output_of(command), HasSubstr("1 compiled, 0 there already"));
}

TEST_F(Prepare, WhatFailsIsShownAndTheOthersGoOn) {
  const CommandResult result = attune({"prepare", scale_that_does_not_compile(), smooth(), "--architecture", "host",
                                       "--problem", "n=9 T=float", "--cache", site()});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("failed    scale on host for n=9 T=float (default): BLOCK=64 ITEMS=1\ncompile_error: "),
                    HasSubstr("nothing"), HasSubstr("1 compiled, 0 there already, 1 failed")));
  write("file", "no folder");
  expect_failure(1, {"prepare", smooth(), "--architecture", "host", "--problem", "n=9", "--cache", folder_ / "file"},
                 {});
}

TEST_F(Prepare, SaysWhatIsMissing) {
  expect_failure(2, {"prepare"}, {"usage: attune prepare"});
  expect_failure(2, {"prepare", smooth()}, {"nothing is known of these kernels; name an architecture and a problem"});
  expect_failure(2, {"prepare", smooth(), "--architecture", "sm_91"}, {"unknown architecture `sm_91`"});
  expect_failure(2, {"prepare", smooth(), "--architecture", "host", "--problem", "m=1"}, {"`m`"});
  expect_failure(1, {"prepare", smooth(), "--architecture", "host", "--cache", site()},
                 {"there is no image of smooth to prepare for host"});
}

}  // namespace
}  // namespace attune::test
