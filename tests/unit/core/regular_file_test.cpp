// Files that users name: whatever lies in their place, nothing waits.
#include "base/regular_file.hpp"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

namespace attune {
namespace {

namespace fs = std::filesystem;

class RegularFiles : public testing::Test {
 protected:
  RegularFiles() {
    std::string pattern = (fs::temp_directory_path() / "attune-regular-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
    folder_ = pattern;
  }
  ~RegularFiles() override { fs::remove_all(folder_); }
  fs::path write(const std::string& text) const {
    std::ofstream(folder_ / "file", std::ios::binary) << text;
    return folder_ / "file";
  }
  fs::path folder_;
};

TEST_F(RegularFiles, AreReadWholeUpToTheMost) {
  const std::string text(3'000'001, 'x');
  const fs::path file = write(text);
  EXPECT_EQ(read_regular_file(file, text.size()).text, text);
  EXPECT_EQ(read_regular_file(file, text.size()).why, "");
  EXPECT_EQ(read_regular_file(file, text.size() - 1).why, "it has more than 3000000 bytes");
  fs::resize_file(file, std::uintmax_t{1} << 40);
  EXPECT_EQ(read_regular_file(file, 10).why, "it has more than 10 bytes") << "a file that claims a terabyte";
  EXPECT_EQ(read_regular_file(write(""), 0).why, "");
  EXPECT_NE(read_regular_file("/proc/self/status", 1 << 20).text, "") << "its size says 0";
}

TEST_F(RegularFiles, NothingElseIsRead) {
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, (folder_ / "socket").c_str(), sizeof address.sun_path - 1);
  const int listening = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  for (const fs::path& path : {folder_ / "pipe", folder_ / "socket", fs::path("/dev/zero"), fs::path("/dev/null")})
    EXPECT_EQ(read_regular_file(path, 100).why, "it is no regular file") << path;
  close(listening);
  EXPECT_EQ(read_regular_file(folder_, 100).why, "it is a folder, no regular file");
  EXPECT_EQ(read_regular_file(folder_ / "none", 100).why, "there is no such file");
}

}  // namespace
}  // namespace attune
