#include "db/image_cache.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <thread>
#include <vector>

#include "db/scratch.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
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

class Cache : public testing::Test {
 protected:
  fs::path entry(int number) const { return directory_ / "images" / (key_of(number) + ".image"); }
  std::size_t files() const { return std::distance(fs::directory_iterator(directory_ / "images"), {}); }
  test::Scratch scratch_;
  fs::path directory_ = scratch_ / "cache dir";
  ImageCache cache_{directory_};
};

TEST_F(Cache, GivesBackWhatWasPut) {
  EXPECT_FALSE(cache_.find(key_of(1)).has_value());
  cache_.put(key_of(1), image_of(1000));
  const auto found = cache_.find(key_of(1));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->architecture, "sm_90");
  EXPECT_EQ(found->toolchain, "NVRTC 13.0");
  ASSERT_EQ(found->functions.size(), 1u);
  EXPECT_EQ(found->functions[0].symbol, "_Z9transposeIfLi32EEvv");
  EXPECT_EQ(found->functions[0].usage, image_of(0).functions[0].usage);
  EXPECT_EQ(*found->code, *image_of(1000).code);
  EXPECT_FALSE(cache_.find(key_of(2)).has_value());
  EXPECT_EQ(cache_.why(), "");
}

TEST_F(Cache, TouchesNothingBeforeTheFirstPut) {
  cache_.find(key_of(1));
  EXPECT_FALSE(fs::exists(directory_));
}

TEST_F(Cache, KeepsFilesPrivate) {
  cache_.put(key_of(1), image_of(10));
  EXPECT_EQ(fs::status(directory_).permissions(), fs::perms(0700));
  EXPECT_EQ(fs::status(directory_ / "images").permissions(), fs::perms(0700));
  EXPECT_EQ(fs::status(entry(1)).permissions(), fs::perms(0600));
  EXPECT_EQ(files(), 1u) << "something temporary was left behind";
}

TEST_F(Cache, ReplacesAnEntry) {
  cache_.put(key_of(1), image_of(10, 'a'));
  cache_.put(key_of(1), image_of(20, 'b'));
  EXPECT_EQ(cache_.find(key_of(1))->code->size(), 20u);
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
    if (shorten) {
      fs::resize_file(entry(1), fs::file_size(entry(1)) / 2);
    } else {
      std::string bytes = test::content_of(entry(1));
      bytes[bytes.size() / 2] ^= 1;
      test::write_file(entry(1), bytes);
    }
    EXPECT_FALSE(cache_.find(key_of(1)).has_value());
    EXPECT_THAT(cache_.why(), HasSubstr("damaged"));
    EXPECT_FALSE(fs::exists(entry(1)));
  }
  cache_.put(key_of(1), image_of(1000));
  EXPECT_TRUE(cache_.find(key_of(1)).has_value());
}

TEST_F(Cache, IgnoresAnEntryThatOthersCanWrite) {
  for (const unsigned mode : {0620u, 0602u}) {
    cache_.put(key_of(1), image_of(10));
    fs::permissions(entry(1), fs::perms(mode));
    EXPECT_FALSE(cache_.find(key_of(1)).has_value());
    EXPECT_THAT(cache_.why(), AllOf(HasSubstr(key_of(1)), HasSubstr("written by others")));
  }
}

TEST_F(Cache, IgnoresAnEntryThatIsALinkOrAPipe) {
  cache_.put(key_of(1), image_of(10));
  fs::rename(entry(1), scratch_ / "elsewhere");
  fs::create_symlink(scratch_ / "elsewhere", entry(1));
  EXPECT_FALSE(cache_.find(key_of(1)).has_value());
  EXPECT_THAT(cache_.why(), HasSubstr("symbolic link"));
  ASSERT_EQ(mkfifo(entry(2).c_str(), 0600), 0);
  EXPECT_FALSE(cache_.find(key_of(2)).has_value());
  EXPECT_THAT(cache_.why(), HasSubstr("not a regular file"));
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

TEST_F(Cache, IgnoresADirectoryThatOthersCanWrite) {
  cache_.put(key_of(1), image_of(10));
  for (const fs::path& directory : {directory_, directory_ / "images"}) {
    fs::permissions(directory, fs::perms(0770));
    EXPECT_FALSE(cache_.find(key_of(1)).has_value());
    EXPECT_THAT(cache_.why(), AllOf(HasSubstr(directory.string()), HasSubstr("chmod go-w")));
    cache_.put(key_of(2), image_of(10));
    EXPECT_FALSE(fs::exists(entry(2)));
    fs::permissions(directory, fs::perms(0700));
  }
  EXPECT_TRUE(cache_.find(key_of(1)).has_value());
}

TEST_F(Cache, IgnoresADirectoryThatIsALink) {
  cache_.put(key_of(1), image_of(10));
  fs::rename(directory_ / "images", scratch_ / "images");
  fs::create_directory_symlink(scratch_ / "images", directory_ / "images");
  EXPECT_FALSE(cache_.find(key_of(1)).has_value());
  EXPECT_THAT(cache_.why(), HasSubstr("symbolic link"));
}

TEST_F(Cache, IgnoresWhatBelongsToSomebodyElse) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  cache_.put(key_of(1), image_of(10));
  ASSERT_EQ(chown(entry(1).c_str(), 65534, 65534), 0);
  EXPECT_FALSE(cache_.find(key_of(1)).has_value());
  EXPECT_THAT(cache_.why(), HasSubstr("belongs to user 65534"));
  ASSERT_EQ(chown((directory_ / "images").c_str(), 65534, 65534), 0);
  EXPECT_FALSE(cache_.find(key_of(1)).has_value());
  EXPECT_THAT(cache_.why(), HasSubstr("images belongs to user 65534"));
}

TEST_F(Cache, DropsWhatCannotBeWritten) {
  const std::string why = test::as_ordinary_user([&] {
    ImageCache cache("/proc/attune");
    cache.put(key_of(1), image_of(10));
    return cache.why();
  });
  EXPECT_THAT(why, HasSubstr("/proc/attune"));
}

TEST_F(Cache, LeavesNothingBehindWhenTheDiskIsFull) {
  cache_.put(key_of(1), image_of(10));
  const std::string why = test::in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    cache_.put(key_of(2), image_of(10000));
    return cache_.why();
  });
  EXPECT_THAT(why, HasSubstr("File too large"));
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

TEST_F(Cache, RemovesTheLeastRecentlyUsedFirst) {
  ImageCache small(directory_, {.entry_bytes = 100000, .total_bytes = 60000});
  for (int i = 0; i < 5; ++i) {
    small.put(key_of(i), image_of(10000));
    age(entry(i), 1000 - i);
  }
  EXPECT_TRUE(small.find(key_of(0)).has_value());  // used just now, so no longer the oldest
  small.put(key_of(5), image_of(10000));
  EXPECT_TRUE(fs::exists(entry(0)));
  EXPECT_FALSE(fs::exists(entry(1)));
  EXPECT_TRUE(fs::exists(entry(5)));
}

TEST_F(Cache, StaysBelowItsSize) {
  ImageCache small(directory_, {.entry_bytes = 100000, .total_bytes = 60000});
  for (int i = 0; i < 50; ++i) {
    small.put(key_of(i), image_of(7000));
    std::uintmax_t total = 0;
    for (const auto& file : fs::directory_iterator(directory_ / "images")) total += file.file_size();
    EXPECT_LE(total, 60000u);
    EXPECT_TRUE(fs::exists(entry(i)));
  }
}

TEST_F(Cache, SweepsTemporaryFilesOfWritersThatWereKilled) {
  ImageCache small(directory_, {.entry_bytes = 100000, .total_bytes = 1000});
  small.put(key_of(1), image_of(10));
  test::write_file(directory_ / "images/.new-old", "x");
  test::write_file(directory_ / "images/.new-young", "x");
  age(directory_ / "images/.new-old", 7200);
  small.put(key_of(2), image_of(2000));
  EXPECT_FALSE(fs::exists(directory_ / "images/.new-old"));
  EXPECT_TRUE(fs::exists(directory_ / "images/.new-young"));
}

TEST_F(Cache, ServesManyThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 20; ++i) {
        cache_.put(key_of(i), image_of(1000 + static_cast<std::size_t>(i)));
        const auto found = cache_.find(key_of((i + thread) % 20));
        if (found && found->code->size() != 1000u + static_cast<std::size_t>((i + thread) % 20)) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(files(), 20u);
  EXPECT_EQ(cache_.why(), "");
}

}  // namespace
}  // namespace attune
