#include "files/image_cache.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <thread>
#include <vector>

#include "db/scratch.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string key_of(int number) { return std::string(60, 'a') + std::to_string(1000 + number); }

Image image_of(std::size_t bytes, char fill = 'x') {
  Image image;
  image.architecture = "sm_90";
  image.toolchain = "NVRTC 13.0";
  image.functions = {{"transpose<float, 32>", "_Z9transposeIfLi32EEvv", {40, 1024, 16, 8, 400}}};
  image.code = std::make_shared<const std::vector<std::byte>>(bytes, static_cast<std::byte>(fill));
  return image;
}

// Sets the time of last use of an entry, `seconds` ago.
void age(const fs::path& file, int seconds) {
  timespec times[2] = {};
  clock_gettime(CLOCK_REALTIME, &times[0]);
  times[0].tv_sec -= seconds;
  times[1] = times[0];
  ASSERT_EQ(utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
}

void move_and_link(const fs::path& from, const fs::path& to) {
  fs::rename(from, to);
  fs::create_symlink(to, from);
}

class Cache : public testing::Test {
 protected:
  fs::path entry(int number) const { return images_ / (key_of(number) + ".image"); }
  std::size_t files() const { return std::distance(fs::directory_iterator(images_), {}); }
  test::Scratch scratch_;
  fs::path directory_ = scratch_ / "cache dir", images_ = directory_ / "images";
  ImageCache cache_{directory_};
};

TEST_F(Cache, GivesBackWhatWasPutLastInPrivateFiles) {
  EXPECT_FALSE(cache_.find(key_of(1)).has_value());
  EXPECT_FALSE(fs::exists(directory_)) << "looking makes nothing";
  for (const char fill : {'a', 'b'}) {
    cache_.put(key_of(1), image_of(1000, fill));
    const auto found = cache_.find(key_of(1));
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->architecture, "sm_90");
    EXPECT_EQ(found->toolchain, "NVRTC 13.0");
    ASSERT_EQ(found->functions.size(), 1u);
    EXPECT_EQ(found->functions[0].symbol, "_Z9transposeIfLi32EEvv");
    EXPECT_EQ(found->functions[0].usage, image_of(0).functions[0].usage);
    EXPECT_EQ(*found->code, *image_of(1000, fill).code);
  }
  EXPECT_FALSE(cache_.find(key_of(2)).has_value());
  EXPECT_EQ(cache_.why(), "");
  for (const fs::path& directory : {directory_, images_})
    EXPECT_EQ(fs::status(directory).permissions(), fs::perms(0700)) << directory;
  EXPECT_EQ(fs::status(entry(1)).permissions(), fs::perms(0600));
  EXPECT_EQ(files(), 1u) << "something temporary was left behind";
}

TEST_F(Cache, ThatIsReadOnlyIsLeftAsItIs) {
  cache_.put(key_of(1), image_of(100));
  cache_.put(key_of(2), image_of(100));
  age(entry(1), 1000);
  fs::resize_file(entry(2), 50);
  const auto time_of_use = fs::last_write_time(entry(1));
  ImageCache site(directory_, ImageCache::Access::read_only);
  EXPECT_TRUE(site.find(key_of(1)).has_value());
  EXPECT_EQ(site.why(), "");
  EXPECT_EQ(fs::last_write_time(entry(1)), time_of_use);
  EXPECT_FALSE(site.find(key_of(2)).has_value());
  EXPECT_THAT(site.why(), HasSubstr("was damaged"));
  EXPECT_TRUE(fs::exists(entry(2)));
  site.put(key_of(3), image_of(100));
  EXPECT_FALSE(fs::exists(entry(3)));
  ImageCache none(scratch_ / "none", ImageCache::Access::read_only);
  EXPECT_FALSE(none.find(key_of(1)).has_value());
  EXPECT_EQ(none.why(), "") << "a site without a cache is no trouble";
}

TEST_F(Cache, ThatIsReadOnlyIsCheckedLikeAnyOther) {
  cache_.put(key_of(1), image_of(100));
  fs::permissions(images_, fs::perms(0777));
  ImageCache site(directory_, ImageCache::Access::read_only);
  EXPECT_FALSE(site.find(key_of(1)).has_value());
  EXPECT_THAT(site.why(), HasSubstr("can be written by others"));
  fs::permissions(images_, fs::perms(0755));
  EXPECT_TRUE(site.find(key_of(1)).has_value());
  move_and_link(directory_, scratch_ / "elsewhere");
  EXPECT_FALSE(site.find(key_of(1)).has_value());
  EXPECT_THAT(site.why(), HasSubstr("name the directory itself with ATTUNE_SITE_CACHE"));
}

TEST_F(Cache, DropsAnImageWhoseHeadersAreNotAllKnown) {
  Image image = image_of(100);
  image.knows_files = false;
  cache_.put(key_of(1), image);
  EXPECT_FALSE(fs::exists(entry(1)));
  EXPECT_THAT(cache_.why(), HasSubstr("too many"));
}

TEST_F(Cache, RefusesKeysThatAreNoHash) {
  for (const std::string& key : {std::string(), std::string("../../etc/passwd"), std::string(63, 'a'),
                                 std::string(65, 'a'), std::string(64, 'A'), std::string(63, 'a') + "/"}) {
    cache_.put(key, image_of(10));
    EXPECT_FALSE(cache_.find(key).has_value());
    EXPECT_THAT(cache_.why(), HasSubstr("no image key"));
  }
  EXPECT_FALSE(fs::exists(directory_));
}

TEST_F(Cache, RemovesADamagedEntry) {
  for (const bool shorten : {false, true}) {
    cache_.put(key_of(1), image_of(1000));
    std::string bytes = test::content_of(entry(1));
    bytes[bytes.size() / 2] ^= 1;
    test::write_file(entry(1), shorten ? bytes.substr(0, bytes.size() / 2) : bytes);
    EXPECT_FALSE(cache_.find(key_of(1)).has_value());
    EXPECT_THAT(cache_.why(), HasSubstr("damaged"));
    EXPECT_FALSE(fs::exists(entry(1)));
  }
  cache_.put(key_of(1), image_of(1000));
  EXPECT_TRUE(cache_.find(key_of(1)).has_value());
}

TEST_F(Cache, IgnoresWhatOthersMayHavePutThere) {
  struct Case {
    const char* what;
    std::function<void()> change;
    const char* why;
  };
  const auto chmod = [](const fs::path& path, unsigned mode) { fs::permissions(path, fs::perms(mode)); };
  std::vector<Case> cases = {
      {"group writes the entry", [&] { chmod(entry(1), 0620); }, ".image can be written by others"},
      {"all write the entry", [&] { chmod(entry(1), 0602); }, ".image can be written by others"},
      {"the entry is a link", [&] { move_and_link(entry(1), scratch_ / "elsewhere"); }, "symbolic link"},
      {"the entry is a pipe", [&] { fs::remove(entry(1)), mkfifo(entry(1).c_str(), 0600); }, "not a regular file"},
      {"others write the folder", [&] { chmod(directory_, 0770); }, "cache dir can be written by others (chmod go-w)"},
      {"others write the images", [&] { chmod(images_, 0770); }, "images can be written by others (chmod go-w)"},
      {"the images are a link", [&] { move_and_link(images_, scratch_ / "images"); }, "symbolic link"},
  };
  if (geteuid() == 0) {  // only root can give files away
    const auto give_away = [](const fs::path& path) { EXPECT_EQ(chown(path.c_str(), 65534, 65534), 0); };
    cases.push_back({"another's entry", [=, this] { give_away(entry(1)); }, ".image belongs to user 65534"});
    cases.push_back({"another's images", [=, this] { give_away(images_); }, "images belongs to user 65534"});
  }
  for (const Case& c : cases) {
    fs::remove_all(directory_);
    fs::remove_all(scratch_ / "images");
    cache_.put(key_of(1), image_of(10));
    c.change();
    EXPECT_FALSE(cache_.find(key_of(1)).has_value()) << c.what;
    EXPECT_THAT(cache_.why(), HasSubstr(c.why)) << c.what;
    if (std::string(c.why).find("chmod") == std::string::npos) continue;
    cache_.put(key_of(2), image_of(10));
    EXPECT_FALSE(fs::exists(entry(2))) << c.what;
  }
}

// As images lie in a container that root built, and that runs as another user.
TEST_F(Cache, OfRootIsReadAndNotWritten) {
  if (geteuid() != 0) GTEST_SKIP() << "only root has files of root";
  cache_.put(key_of(1), image_of(10));
  for (const fs::path& folder : {directory_.parent_path(), directory_, images_})
    fs::permissions(folder, fs::perms(0755));
  fs::permissions(entry(1), fs::perms(0644));
  ASSERT_EQ(seteuid(65534), 0);
  const bool found = cache_.find(key_of(1)).has_value();
  const std::string why = cache_.why();
  cache_.put(key_of(2), image_of(10));
  const std::string why_not_put = cache_.why();
  ASSERT_EQ(seteuid(0), 0);
  EXPECT_TRUE(found) << why;
  EXPECT_FALSE(fs::exists(entry(2)));
  EXPECT_EQ(why_not_put, "");
}

TEST_F(Cache, ReplacesALinkInsteadOfWritingThroughIt) {
  cache_.put(key_of(1), image_of(10));
  test::write_file(scratch_ / "victim", "precious");
  fs::remove(entry(1));
  fs::create_symlink(scratch_ / "victim", entry(1));
  cache_.put(key_of(1), image_of(10));
  EXPECT_EQ(test::content_of(scratch_ / "victim"), "precious");
  EXPECT_TRUE(cache_.find(key_of(1)).has_value());
}

TEST_F(Cache, DropsWhatCannotBeWrittenAndLeavesNothingBehind) {
  cache_.put(key_of(1), image_of(10));
  EXPECT_THAT(test::as_ordinary_user([&] {
                ImageCache cache("/proc/attune");
                cache.put(key_of(1), image_of(10));
                return cache.why();
              }),
              HasSubstr("/proc/attune"));
  EXPECT_THAT(test::in_child([&] {
                std::signal(SIGXFSZ, SIG_DFL);
                const rlimit limit{4096, 4096};
                setrlimit(RLIMIT_FSIZE, &limit);
                cache_.put(key_of(2), image_of(10000));
                return cache_.why();
              }),
              HasSubstr("ulimit -f"));
  EXPECT_EQ(files(), 1u);
}

TEST_F(Cache, DropsAnEntryThatIsTooLarge) {
  ImageCache small(directory_, {.entry_bytes = 2000, .total_bytes = 100000});
  small.put(key_of(1), image_of(3000));
  EXPECT_FALSE(fs::exists(entry(1)));
  EXPECT_THAT(small.why(), HasSubstr("limit 2000"));
  cache_.put(key_of(1), image_of(3000));
  EXPECT_FALSE(small.find(key_of(1)).has_value());
  EXPECT_THAT(small.why(), HasSubstr("more than 2000"));
}

TEST_F(Cache, RemovesTheLeastRecentlyUsedFirstAndStaysBelowItsSize) {
  ImageCache small(directory_, {.entry_bytes = 100000, .total_bytes = 60000});
  for (int i = 0; i < 5; ++i) {
    small.put(key_of(i), image_of(10000));
    age(entry(i), 1000 - i);
  }
  EXPECT_TRUE(small.find(key_of(0)).has_value());  // used just now, so no longer the oldest
  small.put(key_of(5), image_of(10000));
  EXPECT_TRUE(fs::exists(entry(0)));
  EXPECT_FALSE(fs::exists(entry(1)));
  for (int i = 5; i < 50; ++i) {
    small.put(key_of(i), image_of(7000));
    std::uintmax_t total = 0;
    for (const auto& file : fs::directory_iterator(images_)) total += file.file_size();
    EXPECT_LE(total, 60000u);
    EXPECT_TRUE(fs::exists(entry(i)));
  }
}

TEST_F(Cache, SweepsTemporaryFilesOfWritersThatWereKilled) {
  ImageCache small(directory_, {.entry_bytes = 100000, .total_bytes = 1000});
  small.put(key_of(1), image_of(10));
  for (const char* name : {".new-old", ".new-young"}) test::write_file(images_ / name, "x");
  age(images_ / ".new-old", 7200);
  small.put(key_of(2), image_of(2000));
  EXPECT_FALSE(fs::exists(images_ / ".new-old"));
  EXPECT_TRUE(fs::exists(images_ / ".new-young"));
}

TEST_F(Cache, ServesManyThreads) {
  const auto size_of = [](int i) { return 1000 + static_cast<std::size_t>(i); };
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 20; ++i) {
        cache_.put(key_of(i), image_of(size_of(i)));
        const int wanted = (i + thread) % 20;
        const auto found = cache_.find(key_of(wanted));
        if (found && found->code->size() != size_of(wanted)) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(files(), 20u);
  EXPECT_EQ(cache_.why(), "");
}

}  // namespace
}  // namespace attune
