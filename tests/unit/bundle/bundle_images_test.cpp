#include "bundle/bundle_images.hpp"

#include <gtest/gtest.h>

#include "attune/error.hpp"

namespace attune {
namespace {

const std::string key(64, 'a');

Image image_with(std::vector<ImageFile> files, bool knows_files) {
  Image image;
  image.architecture = "sm_90";
  image.toolchain = "NVRTC 13.0";
  image.functions = {{"run<1>", "_Z3runv", {}}};
  image.code = std::make_shared<const std::vector<std::byte>>(100, std::byte{7});
  image.files = std::move(files);
  image.knows_files = knows_files;
  return image;
}

std::vector<std::byte> bundle_with(const Image& image) {
  BundleWriter writer;
  add_image(writer, key, image);
  return writer.finish();
}

// Machines have the toolkit in different folders, or other texts of a header that the code does not use.
TEST(BundledImage, OfEqualCodeHasEqualBytesWhateverFilesItWasMadeFrom) {
  const std::vector<std::byte> bytes = bundle_with(image_with({}, true));
  EXPECT_EQ(bundle_with(image_with({{"/home/me/cuda/include/cuda_fp16.h", std::string(64, 'f')}}, true)), bytes);
  EXPECT_EQ(bundle_with(image_with({}, false)), bytes);
  const auto read = find_image(Bundle::in_memory(bytes, "a test's"), key);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->functions.at(0).symbol, "_Z3runv");
  EXPECT_EQ(read->code->size(), 100u);
  EXPECT_TRUE(read->files.empty());
  EXPECT_FALSE(read->knows_files) << "no cache may keep it as if it depended on no file";
}

TEST(BundledImage, IsFoundByItsKeyAlone) {
  const std::vector<std::byte> bytes = bundle_with(image_with({}, true));
  EXPECT_FALSE(find_image(Bundle::in_memory(bytes, "a test's"), std::string(64, 'b')));
  EXPECT_FALSE(find_image(Bundle::in_memory(bytes, "a test's"), "run"));
  BundleWriter writer;
  EXPECT_THROW(add_image(writer, "run", image_with({}, true)), UsageError);
}

}  // namespace
}  // namespace attune
