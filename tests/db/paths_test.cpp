#include "files/paths.hpp"

#include <gmock/gmock.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <cstdio>
#include <map>

#include "db/scratch.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

// Every test begins without any of the variables.
class Paths : public testing::Test {
 protected:
  Paths() { reset(); }
  static void reset() {
    for (const char* name : {"ATTUNE_DB", "ATTUNE_CACHE", "ATTUNE_SITE_CACHE", "XDG_DATA_HOME", "XDG_CACHE_HOME"})
      unsetenv(name);
    setenv("HOME", "/home/someone", 1);
  }
};

TEST_F(Paths, FollowAttunesOwnVariablesThenXdgsThenHome) {
  struct Case {
    std::map<std::string, std::string> environment;
    const char *database, *cache;
  };
  const char* const at_home = "/home/someone/.local/share/attune/wisdom.db";
  const Case cases[] = {
      {{{"ATTUNE_DB", "/a/b.db"}, {"ATTUNE_CACHE", "relative"}, {"XDG_DATA_HOME", "/data"}, {"XDG_CACHE_HOME", "/c"}},
       "/a/b.db",
       "relative"},
      {{{"XDG_DATA_HOME", "/data"}, {"XDG_CACHE_HOME", "/c"}}, "/data/attune/wisdom.db", "/c/attune"},
      {{}, at_home, "/home/someone/.cache/attune"},
      {{{"ATTUNE_DB", ""}, {"XDG_DATA_HOME", "data"}}, at_home, "/home/someone/.cache/attune"},  // empty, relative
  };
  for (const Case& c : cases) {
    reset();
    for (const auto& [name, value] : c.environment) setenv(name.c_str(), value.c_str(), 1);
    EXPECT_EQ(default_database_path(), c.database);
    EXPECT_EQ(default_cache_path(), c.cache);
  }
}

TEST_F(Paths, ThereIsASiteCacheOnlyWhereItIsNamed) {
  EXPECT_EQ(site_cache_path(), std::nullopt);
  setenv("ATTUNE_SITE_CACHE", "/opt/site", 1);
  EXPECT_EQ(site_cache_path(), fs::path("/opt/site"));
}

TEST_F(Paths, AskThePasswordFileWithoutHome) {
  unsetenv("HOME");
  const passwd* entry = getpwuid(geteuid());
  if (!entry) GTEST_SKIP() << "this user stands in no password file";
  EXPECT_EQ(default_database_path(), fs::path(entry->pw_dir) / ".local/share/attune/wisdom.db");
}

TEST_F(Paths, AreAnErrorForAUserWithoutAnyHome) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become a user that does not exist";
  unsetenv("HOME");
  const std::string message = test::in_child([] {
    if (setuid(54321) != 0) return std::string("no such luck");
    return test::error_of([] { default_database_path(); });
  });
  EXPECT_THAT(message, AllOf(HasSubstr("54321"), HasSubstr("set ATTUNE_DB")));
}

TEST_F(Paths, IgnoreTheEnvironmentInASetUserIdProcess) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make a set-user-id program of somebody else";
  const test::Scratch scratch;
  const fs::path program = scratch / "print_path";
  fs::copy_file(ATTUNE_PRINT_PATH, program);
  const auto run = [&] {
    FILE* pipe = popen(program.c_str(), "r");
    std::string printed;
    for (char line[512]; fgets(line, sizeof line, pipe);) printed += line;
    pclose(pipe);
    return printed;
  };
  setenv("ATTUNE_DB", "/planted.db", 1);
  setenv("ATTUNE_SITE_CACHE", "/planted", 1);
  setenv("ATTUNE_LOG_MISSES", "/planted.log", 1);
  setenv("ATTUNE_SITE", "/planted.site", 1);
  ASSERT_EQ(run(), "/planted.db\n/planted\n/planted.log\n/planted.site\n");
  const passwd* daemon = getpwnam("daemon");
  if (!daemon) GTEST_SKIP() << "there is no user `daemon`";
  ASSERT_EQ(chown(program.c_str(), daemon->pw_uid, daemon->pw_gid), 0);
  ASSERT_EQ(chmod(program.c_str(), 04755), 0);
  struct statvfs mount {};
  if (statvfs(program.c_str(), &mount) != 0 || mount.f_flag & ST_NOSUID) GTEST_SKIP() << "mounted nosuid";
  EXPECT_EQ(run(), (fs::path(daemon->pw_dir) / ".local/share/attune/wisdom.db").string() + "\n\n\n/etc/attune\n");
}

TEST_F(Paths, DirectoriesAreMadePrivateWithTheirParents) {
  const test::Scratch scratch;
  umask(0);
  make_private_directory(scratch / "a/b c/é", "ATTUNE_DB");
  for (const char* name : {"a", "a/b c", "a/b c/é"})
    EXPECT_EQ(fs::status(scratch / name).permissions(), fs::perms(0700)) << name;
  EXPECT_EQ(fs::status(scratch.path()).permissions(), fs::perms(0755));
  make_private_directory(scratch / "a/b c/é", "ATTUNE_DB");
}

TEST_F(Paths, ADirectoryThatCannotBeMadeIsNamed) {
  const test::Scratch scratch;
  test::write_file(scratch / "file", "x");
  EXPECT_THAT(test::error_of([&] { make_private_directory(scratch / "file/below", "ATTUNE_DB"); }),
              AllOf(HasSubstr("file/below"), HasSubstr("ATTUNE_DB")));
  fs::permissions(scratch.path(), fs::perms(0555));
  EXPECT_THAT(test::as_ordinary_user(
                  [&] { return test::error_of([&] { make_private_directory(scratch / "below", "ATTUNE_DB"); }); }),
              AllOf(HasSubstr("below"), HasSubstr("Permission denied")));
  fs::permissions(scratch.path(), fs::perms(0755));
}

}  // namespace
}  // namespace attune
