// Dispatchers and bundles of the C interface.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <thread>

#include "attune/version.hpp"
#include "c_api_fixture.hpp"
#include "tuned/tuned_text.hpp"

namespace attune {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(CApi, TellsItsVersions) {
  EXPECT_STREQ(attune_library_version(), library_version);
  EXPECT_EQ(attune_interface_version(), ATTUNE_INTERFACE_VERSION);
}

TEST(CApi, NamesStatuses) {
  EXPECT_STREQ(attune_status_text(ATTUNE_OK), "ok");
  EXPECT_STREQ(attune_status_text(ATTUNE_USAGE_ERROR), "usage error");
  EXPECT_STREQ(attune_status_text(ATTUNE_NOT_PREPARED), "not prepared");
  EXPECT_STREQ(attune_status_text(ATTUNE_OUT_OF_MEMORY), "out of memory");
  EXPECT_STREQ(attune_status_text(ATTUNE_ERROR), "error");
  EXPECT_STREQ(attune_status_text(static_cast<attune_status>(5)), "unknown status");
}

TEST(CApi, HasAMessageForEachThread) {
  expect_failure(attune_bundle_hash(nullptr, nullptr), ATTUNE_USAGE_ERROR,
                 StartsWith("attune_bundle_hash: `hash` is null"));
  std::string before, after;
  std::thread([&] {
    before = attune_last_error();
    attune_plan_refresh_symbols(nullptr);
    after = attune_last_error();
  }).join();
  EXPECT_EQ(before, "");
  EXPECT_EQ(after, "attune_plan_refresh_symbols: `plan` is null; attune_plan_make() makes one");
  EXPECT_STREQ(attune_last_error(), "attune_bundle_hash: `hash` is null") << "of the other thread";
}

TEST(CApi, DestroysNullInSilence) {
  attune_bundle_destroy(nullptr);
  attune_dispatcher_destroy(nullptr);
  attune_kernel_destroy(nullptr);
  attune_plan_destroy(nullptr);
  attune_buffer_destroy(nullptr);
}

class CDispatcher : public CApiTest {
 protected:
  attune_status make(const attune_dispatcher_options& given) {
    attune_dispatcher* made = gpu_;
    const attune_status status = attune_dispatcher_make(&given, &made);
    if (status != ATTUNE_OK) {
      EXPECT_EQ(made, nullptr);
    }
    attune_dispatcher_destroy(made);
    return status;
  }
};

TEST_F(CDispatcher, RefusesOptionsThatCannotBe) {
  attune_dispatcher_options given = c_options();
  given.device = "hots";
  expect_failure(
      make(given), ATTUNE_USAGE_ERROR,
      AllOf(StartsWith("attune_dispatcher_make: "), HasSubstr("unknown device `hots`"), HasSubstr("`host`")));
  given = c_options();
  given.regime = "lukewarm";
  expect_usage_error(make(given), "unknown regime `lukewarm`");
  expect_usage_error(attune_dispatcher_make(nullptr, nullptr), "`dispatcher` is null");
}

TEST_F(CDispatcher, RefusesAWrongSizeOfOptions) {
  attune_dispatcher_options given = c_options();
  constexpr std::size_t first = offsetof(attune_dispatcher_options, deterministic_only);  // of interface version 1
  for (const std::size_t size : {std::size_t{0}, std::size_t{8}, first - 1, ~std::size_t{0}}) {
    given.size = size;
    expect_usage_error(make(given), "set size = sizeof(attune_dispatcher_options)");
  }
}

TEST_F(CDispatcher, TakesOptionsOfALaterVersionUnlessTheySaySomethingNew) {
  struct Later {
    attune_dispatcher_options present;
    std::size_t more[2];
  } later{c_options(), {0, 0}};
  later.present.size = sizeof later;
  EXPECT_EQ(make(later.present), ATTUNE_OK) << attune_last_error();
  later.more[1] = 1;
  expect_usage_error(make(later.present), "sets an option that this library (136) does not know");
}

TEST_F(CDispatcher, TakesOptionsOfTheFirstVersion) {
  attune_dispatcher_options given = c_options();
  given.size = offsetof(attune_dispatcher_options, deterministic_only);
  given.device = "host";
  given.image_limit = 1;  // beyond it
  EXPECT_EQ(make(given), ATTUNE_OK) << attune_last_error();
}

TEST_F(CDispatcher, DropsCodeThatIsNotUsed) {
  attune_plan_destroy(plan("offset", {attune_integer("n", 10)}));
  ASSERT_EQ(attune_dispatcher_trim(gpu_, 0, 0), ATTUNE_OK) << attune_last_error();
  EXPECT_EQ(statistics().evicted_images, 0u) << "it was used";
  ASSERT_EQ(attune_dispatcher_trim(gpu_, 0, 0), ATTUNE_OK) << attune_last_error();
  EXPECT_EQ(statistics().evicted_images, 1u);
  EXPECT_EQ(statistics().image_bytes, 0u);
  expect_usage_error(attune_dispatcher_trim(nullptr, 0, 0), "`dispatcher` is null");
}

TEST_F(CDispatcher, FillsInStatisticsUpToTheirSize) {
  attune_plan_destroy(plan("offset", {attune_integer("n", 10)}));
  const attune_statistics known = statistics();
  EXPECT_EQ(known.plans[ATTUNE_RUNG_NONE], 1u);
  EXPECT_EQ(known.compiled, 1u);
  EXPECT_GT(known.image_bytes, 0u);
  struct Later {
    attune_statistics present;
    std::size_t more;
  } later{};
  later.more = 7;
  later.present.size = sizeof later;
  ASSERT_EQ(attune_dispatcher_statistics(gpu_, &later.present), ATTUNE_OK);
  EXPECT_EQ(later.present.size, sizeof later);
  EXPECT_EQ(later.present.compiled, 1u);
  EXPECT_EQ(later.more, 0u);
  later.present.size = 16;
  expect_usage_error(attune_dispatcher_statistics(gpu_, &later.present), "set size = sizeof(attune_statistics)");
  expect_usage_error(attune_dispatcher_statistics(gpu_, nullptr), "`statistics` is null");
  expect_usage_error(attune_dispatcher_statistics(nullptr, &later.present), "attune_dispatcher_make() makes one");
}

TEST_F(CDispatcher, RefusesHandlesOfAnotherKind) {
  attune_plan* const made = plan("offset", {attune_integer("n", 10)});
  auto* const mixed_up = reinterpret_cast<attune_dispatcher*>(made);
  expect_usage_error(attune_dispatcher_refresh(mixed_up), "`dispatcher` is a handle of another kind");
  attune_dispatcher_destroy(mixed_up);  // nothing
  EXPECT_EQ(attune_plan_refresh_symbols(made), ATTUNE_OK);
  attune_plan_destroy(made);
}

TEST_F(CDispatcher, PassesWarningsToTheCallback) {
  std::filesystem::create_directory(folder_ / "data" / "wisdom.db");  // no database
  attune_plan_destroy(plan("offset", {attune_integer("n", 10)}));
  attune_plan_destroy(plan("offset", {attune_integer("n", 11)}));
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_THAT(warnings_[0], HasSubstr("wisdom.db"));
}

TEST_F(CDispatcher, PreparesProblemsAndTakesUpWhatWasTunedSince) {
  const attune_problem_value values[] = {attune_integer("n", 10), attune_integer("n", 20)};
  const attune_problem problems[] = {{values, 1}, {values + 1, 1}};
  ASSERT_EQ(attune_dispatcher_prepare(gpu_, "offset", problems, 2), ATTUNE_OK) << attune_last_error();
  EXPECT_EQ(statistics().entries, 2u);
  attune_plan* made = nullptr;
  EXPECT_EQ(attune_plan_make(gpu_, "offset", problems, ATTUNE_POLICY_CACHED_ONLY, &made), ATTUNE_OK);
  attune_plan_destroy(made);
  store(record(Dispatcher(options()).device_info(), {{"n", 10}, {"T", "int32"}}, {{"OFFSET", 2}, {"BLOCK", 32}}));
  ASSERT_EQ(attune_dispatcher_refresh(gpu_), ATTUNE_OK) << attune_last_error();
  EXPECT_EQ(statistics().swaps, 2u);
  attune_match match{};
  match.size = sizeof match;
  made = plan("offset", {values[0]});
  EXPECT_EQ(attune_plan_match(made, &match), ATTUNE_OK);
  EXPECT_STREQ(match.configuration, "OFFSET=2 BLOCK=32");
  attune_plan_destroy(made);

  expect_usage_error(attune_dispatcher_prepare(gpu_, nullptr, problems, 2), "`kernel` is null");
  expect_usage_error(attune_dispatcher_prepare(gpu_, "offset", nullptr, 2), "`problems` is null");
  expect_usage_error(attune_dispatcher_prepare(gpu_, "ofset", problems, 2), "did you mean `offset`?");
  EXPECT_EQ(attune_dispatcher_prepare(gpu_, "offset", nullptr, 0), ATTUNE_OK);
}

TEST_F(CDispatcher, ReadsFoldersOfTunedFilesAndAgreesOnTheirDigest) {
  const std::string folder = (folder_ / "tuned").string();
  std::filesystem::create_directory(folder);
  const Record known =
      record(Dispatcher(options()).device_info(), {{"n", 10}, {"T", "int32"}}, {{"OFFSET", 2}, {"BLOCK", 32}});
  for (const auto& [name, text] : tuned_files(std::vector{known})) std::ofstream(folder_ / "tuned" / name) << text;
  const char* const folders[] = {folder.c_str()};
  attune_dispatcher_options given = c_options();
  given.wisdom = folders;
  given.wisdom_count = 1;
  attune_dispatcher_destroy(gpu_);
  ASSERT_EQ(attune_dispatcher_make(&given, &gpu_), ATTUNE_OK) << attune_last_error();
  char digest[65] = {};
  ASSERT_EQ(attune_dispatcher_wisdom_digest(gpu_, digest), ATTUNE_OK) << attune_last_error();
  EXPECT_EQ(std::strlen(digest), 64u);
  attune_dispatcher_destroy(gpu_);
  given.agree = digest;
  ASSERT_EQ(attune_dispatcher_make(&given, &gpu_), ATTUNE_OK) << attune_last_error();
  add(offset_kernel);
  attune_plan* const made = plan("offset", {attune_integer("n", 10)});
  attune_match match{};
  match.size = sizeof match;
  ASSERT_EQ(attune_plan_match(made, &match), ATTUNE_OK);
  EXPECT_STREQ(match.configuration, "OFFSET=2 BLOCK=32");
  EXPECT_EQ(match.source, "the folder " + folder);
  attune_plan_destroy(made);

  given.wisdom = nullptr;
  expect_usage_error(make(given), "`wisdom` is null");
  expect_usage_error(attune_dispatcher_wisdom_digest(gpu_, nullptr), "`digest` is null");
}

TEST_F(CDispatcher, WaitsForStreamsAndTheBackground) {
  EXPECT_EQ(attune_dispatcher_synchronize(gpu_, nullptr), ATTUNE_OK);
  EXPECT_EQ(attune_dispatcher_wait_for_background(gpu_), ATTUNE_OK);
  expect_usage_error(attune_dispatcher_synchronize(nullptr, nullptr), "`dispatcher` is null");
  expect_usage_error(attune_dispatcher_wait_for_background(nullptr), "`dispatcher` is null");
  expect_usage_error(attune_dispatcher_refresh(nullptr), "`dispatcher` is null");
}

class CBundle : public CApiTest {
 protected:
  CBundle() : bytes_(bundle_bytes({"other.cu", other_text()})) {
    std::ofstream(file_, std::ios::binary).write(reinterpret_cast<const char*>(bytes_.data()), std::ssize(bytes_));
  }
  static std::string_view other_text() {
    static const std::string text =
        std::string(offset_kernel.text).replace(offset_kernel.text.find("\"offset\""), 8, "\"other\"");
    return text;
  }
  const std::string file_ = (folder_ / "other.bundle").string();
  const std::vector<std::byte> bytes_;
};

TEST_F(CBundle, IsReadFromMemoryAndFromAFile) {
  attune_bundle *one = nullptr, *two = nullptr;
  {
    std::vector<std::byte> passing = bytes_;
    ASSERT_EQ(attune_bundle_from_memory(passing.data(), passing.size(), nullptr, &one), ATTUNE_OK);
    std::fill(passing.begin(), passing.end(), std::byte{0});  // it has copied them
  }
  ASSERT_EQ(attune_bundle_from_path(file_.c_str(), &two), ATTUNE_OK) << attune_last_error();
  const char *hash_of_one = nullptr, *hash_of_two = nullptr;
  ASSERT_EQ(attune_bundle_hash(one, &hash_of_one), ATTUNE_OK);
  ASSERT_EQ(attune_bundle_hash(two, &hash_of_two), ATTUNE_OK);
  EXPECT_STREQ(hash_of_one, hash_of_two);
  EXPECT_EQ(std::strlen(hash_of_one), 64u);
  EXPECT_EQ(attune_dispatcher_add(gpu_, one), ATTUNE_OK) << attune_last_error();
  EXPECT_EQ(attune_dispatcher_add(gpu_, two), ATTUNE_OK) << "the same again";
  EXPECT_EQ(attune_dispatcher_add_path(gpu_, file_.c_str()), ATTUNE_OK) << attune_last_error();
  attune_bundle_destroy(one);
  attune_bundle_destroy(two);
  attune_plan_destroy(plan("other", {attune_integer("n", 10)}));
}

TEST_F(CBundle, ThatIsNoneIsAnError) {
  attune_bundle* bundle = nullptr;
  const auto refused = [&](attune_status status, const char* why) {
    expect_failure(status, ATTUNE_ERROR, HasSubstr(why));
    EXPECT_EQ(bundle, nullptr);
  };
  refused(attune_bundle_from_memory("ATTUNE", 6, nullptr, &bundle), "a bundle in memory is no bundle");
  refused(attune_bundle_from_memory(bytes_.data(), bytes_.size() - 1, "mine", &bundle), "mine is no bundle: it has");
  refused(attune_bundle_from_path("/nowhere/x.bundle", &bundle), "/nowhere/x.bundle cannot be opened");
  refused(attune_dispatcher_add_memory(gpu_, "", 0, "mine"), "mine is no bundle");
  refused(attune_dispatcher_add_path(gpu_, "/nowhere/x.bundle"), "attune_dispatcher_add_path: the bundle");
  std::vector<std::byte> damaged = bytes_;
  damaged.back() ^= std::byte{1};  // of a kernel
  refused(attune_dispatcher_add_memory(gpu_, damaged.data(), damaged.size(), "mine"), "mine");
  expect_usage_error(attune_bundle_from_memory(nullptr, 6, nullptr, &bundle), "`bytes` is null");
  expect_usage_error(attune_bundle_from_memory(bytes_.data(), bytes_.size(), "x", nullptr), "`bundle` is null");
  expect_usage_error(attune_bundle_from_path(nullptr, &bundle), "`path` is null");
  expect_usage_error(attune_dispatcher_add(gpu_, nullptr), "attune_bundle_from_path() makes one");
  expect_usage_error(attune_dispatcher_add_path(nullptr, file_.c_str()), "`dispatcher` is null");
  expect_usage_error(attune_dispatcher_add_memory(nullptr, "", 0, ""), "`dispatcher` is null");
}

TEST_F(CBundle, OfAnotherKernelWithThatNameIsRefused) {
  std::string text(offset_kernel.text);
  text.replace(text.find("+= OFFSET"), 9, "-= OFFSET");
  const std::vector<std::byte> other = bundle_bytes({"offset.cu", text});
  expect_usage_error(attune_dispatcher_add_memory(gpu_, other.data(), other.size(), "mine"),
                     "there is another kernel `offset` already");
}

// A file's are read when they are asked for.
TEST_F(CBundle, GivesItsBytes) {
  for (const bool is_file : {false, true}) {
    attune_bundle* bundle = nullptr;
    ASSERT_EQ(is_file ? attune_bundle_from_path(file_.c_str(), &bundle)
                      : attune_bundle_from_memory(bytes_.data(), bytes_.size(), nullptr, &bundle),
              ATTUNE_OK)
        << attune_last_error();
    const void *bytes = nullptr, *again = nullptr;
    std::size_t size = 0;
    ASSERT_EQ(attune_bundle_bytes(bundle, &bytes, &size), ATTUNE_OK) << attune_last_error();
    ASSERT_EQ(size, bytes_.size());
    EXPECT_EQ(std::memcmp(bytes, bytes_.data(), size), 0);
    EXPECT_EQ(attune_bundle_bytes(bundle, &again, &size), ATTUNE_OK);
    EXPECT_EQ(again, bytes);
    expect_usage_error(attune_bundle_bytes(bundle, nullptr, &size), "`bytes` is null");
    expect_usage_error(attune_bundle_bytes(bundle, &bytes, nullptr), "`size` is null");
    expect_usage_error(attune_bundle_bytes(nullptr, &bytes, &size), "`bundle` is null");
    EXPECT_EQ(bytes, nullptr);
    EXPECT_EQ(size, 0u);
    attune_bundle_destroy(bundle);
  }
}

TEST_F(CBundle, OfAFileThatWasCutOffSinceHasNoBytes) {
  attune_bundle* bundle = nullptr;
  ASSERT_EQ(attune_bundle_from_path(file_.c_str(), &bundle), ATTUNE_OK);
  std::filesystem::resize_file(file_, bytes_.size() - 1);
  const void* bytes = nullptr;
  std::size_t size = 0;
  expect_failure(attune_bundle_bytes(bundle, &bytes, &size), ATTUNE_ERROR, HasSubstr("other.bundle cannot be read"));
  EXPECT_EQ(bytes, nullptr);
  attune_bundle_destroy(bundle);
}

// What one dispatcher knows and has compiled serves another, which has no database and an empty cache.
TEST_F(CBundle, OfADispatcherMakesAnother) {
  store(record(Dispatcher(options()).device_info(), {{"n", 10}, {"T", "int32"}}, {{"OFFSET", 2}, {"BLOCK", 32}}));
  attune_plan_destroy(plan("offset", {attune_integer("n", 10)}));
  attune_bundle* bundle = nullptr;
  ASSERT_EQ(attune_dispatcher_bundle(gpu_, &bundle), ATTUNE_OK) << attune_last_error();

  attune_dispatcher_options given = c_options();
  attune_dispatcher* other = nullptr;
  expect_usage_error(attune_dispatcher_from_bundle(bundle, &given, &other), "what its bundle says");
  EXPECT_EQ(other, nullptr);
  const std::string empty = (folder_ / "empty").string();
  given.database = nullptr;
  given.cache = empty.c_str();
  ASSERT_EQ(attune_dispatcher_from_bundle(bundle, &given, &other), ATTUNE_OK) << attune_last_error();
  attune_bundle_destroy(bundle);
  attune_dispatcher_destroy(gpu_);
  gpu_ = other;
  attune_plan* const made = plan("offset", {attune_integer("n", 10)});
  attune_match match{};
  match.size = sizeof match;
  EXPECT_EQ(attune_plan_match(made, &match), ATTUNE_OK);
  EXPECT_STREQ(match.configuration, "OFFSET=2 BLOCK=32");
  EXPECT_EQ(statistics().from_bundle, 1u);
  EXPECT_EQ(statistics().compiled, 0u);
  attune_plan_destroy(made);

  expect_usage_error(attune_dispatcher_bundle(nullptr, &bundle), "`dispatcher` is null");
  EXPECT_EQ(bundle, nullptr);
  expect_usage_error(attune_dispatcher_bundle(gpu_, nullptr), "`bundle` is null");
  expect_usage_error(attune_dispatcher_from_bundle(nullptr, &given, &other), "`bundle` is null");
  EXPECT_EQ(other, nullptr);
}

class CBuffer : public CApiTest {};

TEST_F(CBuffer, IsDeviceMemory) {
  attune_buffer* buffer = nullptr;
  ASSERT_EQ(attune_buffer_make(gpu_, 12, &buffer), ATTUNE_OK) << attune_last_error();
  int values[] = {1, 2, 3};
  void* data = nullptr;
  EXPECT_EQ(attune_buffer_copy_in(buffer, values, sizeof values, nullptr), ATTUNE_OK);
  values[1] = 0;
  EXPECT_EQ(attune_buffer_copy_out(buffer, values, sizeof values, nullptr), ATTUNE_OK);
  EXPECT_EQ(values[1], 2);
  EXPECT_EQ(attune_buffer_data(buffer, &data), ATTUNE_OK);
  EXPECT_EQ(static_cast<const int*>(data)[2], 3) << "the host device's memory is the CPU's";
  expect_usage_error(attune_buffer_copy_in(buffer, values, 8, nullptr), "12 bytes and 8 bytes");
  expect_usage_error(attune_buffer_copy_out(buffer, values, 16, nullptr), "they must be equal");
  expect_usage_error(attune_buffer_copy_in(buffer, nullptr, 12, nullptr), "`host` is null");
  expect_usage_error(attune_buffer_copy_out(buffer, nullptr, 12, nullptr), "`host` is null");
  expect_usage_error(attune_buffer_data(buffer, nullptr), "`data` is null");
  expect_usage_error(attune_buffer_data(nullptr, &data), "attune_buffer_make() makes one");
  EXPECT_EQ(data, nullptr);
  attune_buffer_destroy(buffer);
}

TEST_F(CBuffer, ThatIsTooLargeIsOutOfMemory) {
  attune_buffer* buffer = nullptr;
  expect_failure(attune_buffer_make(gpu_, std::size_t{1} << 60, &buffer), ATTUNE_OUT_OF_MEMORY,
                 StartsWith("attune_buffer_make: "));
  EXPECT_EQ(buffer, nullptr);
  expect_usage_error(attune_buffer_make(nullptr, 1, &buffer), "`dispatcher` is null");
  expect_usage_error(attune_buffer_make(gpu_, 1, nullptr), "`buffer` is null");
}

}  // namespace
}  // namespace attune
