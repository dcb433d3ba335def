// The sources of wisdom around a dispatcher, on the host device: which record is used, and what a digest says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "bundle/bundle_records.hpp"
#include "device/device.hpp"
#include "dispatch_fixture.hpp"
#include "support/message_of.hpp"
#include "tuned/tuned_text.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class Overlay : public DispatchTest {
 protected:
  Overlay() : device_(open_device("host")) {
    toolchain_ = device_->compiler()->toolchain();
    setenv("ATTUNE_SITE", (folder_ / "no site").c_str(), 1);
  }
  ~Overlay() override {
    for (const char* const name : {"ATTUNE_SITE", "ATTUNE_OVERRIDE", "ATTUNE_AGREE"}) unsetenv(name);
  }
  static Problem problem(std::int64_t n = 1000) { return {{"n", n}, {"T", "int32"}}; }
  Record made(std::int64_t offset, Effort effort = Effort::measure, std::int64_t n = 1000) {
    Record record = this->record(device_->info(), problem(n), {{"OFFSET", offset}, {"BLOCK", 32}});
    record.effort = effort;
    return record;
  }
  // A folder of tuned files with this record.
  fs::path folder_of(const std::string& name, const Record& record) const {
    const fs::path folder = folder_ / name;
    fs::create_directory(folder);
    fs::permissions(folder, fs::perms::owner_all);
    for (const auto& [file, text] : tuned_files(std::vector{record})) {
      std::ofstream(folder / file) << text;
      fs::permissions(folder / file, fs::perms::owner_read | fs::perms::owner_write);
    }
    return folder;
  }
  static Bundle bundle_of(const Record& record) {
    BundleWriter writer;
    add_records(writer, std::vector{record});
    return Bundle::owning(writer.finish(), "app.bundle");
  }
  Match match(const DispatcherOptions& options, std::vector<Bundle> bundles = {}, std::int64_t n = 1000) {
    Dispatcher gpu(options);
    gpu.add(kernel_of(offset_kernel));
    for (const Bundle& bundle : bundles) gpu.add(bundle);
    return gpu.match("offset", problem(n));
  }
  static std::string chosen(const Match& match) { return match.configuration.at("OFFSET").text(); }
  DispatcherOptions with(const fs::path& site, std::vector<fs::path> folders = {}) {
    DispatcherOptions wanted = options();
    wanted.site = site;
    wanted.wisdom = std::move(folders);
    return wanted;
  }
  std::unique_ptr<Device> device_;
};

TEST_F(Overlay, AFolderOfTheApplicationServesAndSaysSo) {
  const fs::path folder = folder_of("tuned", made(2));
  const Match found = match(with("", {folder}));
  EXPECT_EQ(found.rung, Rung::exact) << found.why;
  EXPECT_EQ(chosen(found), "2");
  EXPECT_EQ(found.source, "the folder " + folder.string());
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(Overlay, WhatWasMeasuredHereGoesBeforeAGreaterEffortElsewhere) {
  store(made(3, Effort::estimate));
  const fs::path site = folder_of("site", made(2, Effort::exhaustive)),
                 folder = folder_of("tuned", made(1, Effort::exhaustive));
  const Match found = match(with(site, {folder}), {bundle_of(made(2, Effort::exhaustive))});
  EXPECT_EQ(chosen(found), "3");
  EXPECT_EQ(found.source, "the database " + database().string());
}

TEST_F(Overlay, OfEquallyStrongRecordsTheFirstSourceIsUsedNotTheNewest) {
  Record of_site = made(1), of_folder = made(2), of_bundle = made(3);
  of_folder.made_ms += 1;
  of_bundle.made_ms += 2;
  const fs::path site = folder_of("site", of_site), folder = folder_of("tuned", of_folder);
  EXPECT_EQ(chosen(match(with(site, {folder}), {bundle_of(of_bundle)})), "1");
  EXPECT_EQ(chosen(match(with("", {folder}), {bundle_of(of_bundle)})), "2");
  EXPECT_EQ(match(with("", {}), {bundle_of(of_bundle)}).source, "the bundle app.bundle");
  of_bundle.effort = Effort::patient;
  EXPECT_EQ(chosen(match(with(site, {folder}), {bundle_of(of_bundle)})), "3");
}

TEST_F(Overlay, TheOverrideFileIsPinnedAndAPinOfAFolderToo) {
  store(made(3, Effort::exhaustive));
  Record pin = made(2);
  pin.origin = Origin::pinned;
  const fs::path folder = folder_of("tuned", pin);
  const Match of_folder = match(with("", {folder}));
  EXPECT_EQ(of_folder.rung, Rung::pinned);
  EXPECT_EQ(chosen(of_folder), "2");
  const fs::path file = folder_ / "mine.tuned";
  const Record key = made(1);
  std::ofstream(file) << "attune tuned 1\nkernel offset\ncode " << key.key.code << "\ncontract " << key.key.contract
                      << "\nclass " << key.key.device_class
                      << "\nrecord {\"n\":1000,\"T\":\"int32\"} {\"OFFSET\":1,\"BLOCK\":64}\n";
  setenv("ATTUNE_OVERRIDE", file.c_str(), 1);
  const Match of_file = match(with("", {folder}));
  EXPECT_EQ(of_file.rung, Rung::pinned) << of_file.why;
  EXPECT_EQ(chosen(of_file), "1");
  EXPECT_EQ(of_file.source, "the override file " + file.string());
}

TEST_F(Overlay, ASiteMayHaveADatabaseWhichIsReadWithoutALock) {
  store(made(2));
  const fs::path site = folder_ / "site";
  fs::create_directory(site);
  fs::permissions(site, fs::perms::owner_all);
  fs::rename(database(), site / "wisdom.db");
  std::ofstream(site / "wisdom.db-journal") << "not a journal";  // an immutable file has none
  const Match found = match(with(site));
  EXPECT_EQ(chosen(found), "2");
  EXPECT_EQ(found.source, "the site " + (site / "wisdom.db").string());
  EXPECT_EQ(chosen(match(with(site / "wisdom.db"))), "2");
  chmod((site / "wisdom.db").c_str(), 0666);
  EXPECT_EQ(match(with(site)).rung, Rung::none);
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_THAT(warnings_[0], HasSubstr("can be written by others"));
}

TEST_F(Overlay, ADatabaseInAFolderThatOthersWriteIsLeftOut) {
  store(made(2));
  const fs::path site = folder_ / "site";
  fs::create_directory(site);
  fs::rename(database(), site / "wisdom.db");
  chmod(site.c_str(), 0777);
  EXPECT_EQ(match(with(site)).rung, Rung::none);
  EXPECT_THAT(warnings_, testing::ElementsAre(HasSubstr(site.string() + " can be written by others")));
  chmod(site.c_str(), 0755);
  EXPECT_EQ(chosen(match(with(site))), "2");
}

TEST_F(Overlay, DamageOfASourceIsAWarningAndTheOthersServe) {
  const fs::path folder = folder_of("tuned", made(2));
  std::ofstream(folder / "bad.tuned") << "attune tuned 2\ncode " << made(2).key.code << "\ncontract "
                                      << made(2).key.contract << "\n";
  EXPECT_EQ(chosen(match(with("", {folder, folder_ / "missing"}))), "2");
  EXPECT_THAT(warnings_,
              testing::UnorderedElementsAre(HasSubstr("bad.tuned is no tuned file"),
                                            AllOf(HasSubstr("missing"), HasSubstr("there is no such file or folder"))));
}

TEST_F(Overlay, ADispatcherOfABundleRefusesOtherSources) {
  EXPECT_THAT(message_of<UsageError>([&] {
                DispatcherOptions wanted = with(folder_ / "site");
                wanted.database = "";
                Dispatcher(kernel_of(offset_kernel), wanted);
              }),
              HasSubstr("the site and folders are not read"));
}

TEST_F(Overlay, WhoAgreesReadsOnlyWhatNobodyWrites) {
  store(made(3, Effort::exhaustive));
  const fs::path folder = folder_of("tuned", made(2));
  DispatcherOptions wanted = with("", {folder});
  Dispatcher first(wanted);
  EXPECT_EQ(chosen(match(wanted)), "3");
  wanted.agree = "any";
  EXPECT_EQ(chosen(match(wanted)), "2");
  wanted.agree = first.wisdom_digest();
  EXPECT_EQ(chosen(match(wanted)), "2");
}

TEST_F(Overlay, AnotherDigestThanAgreedIsAnErrorThatSaysBoth) {
  const fs::path folder = folder_of("tuned", made(2));
  DispatcherOptions wanted = with("", {folder});
  const std::string present = Dispatcher(wanted).wisdom_digest();
  wanted.agree = std::string(64, 'a');
  EXPECT_THAT(message_of<Error>([&] { match(wanted); }), AllOf(HasSubstr(present), HasSubstr(wanted.agree)));
  wanted.agree = present;
  EXPECT_NO_THROW(match(wanted));
  EXPECT_THAT(message_of<Error>([&] { match(wanted, {bundle_of(made(1))}); }), HasSubstr(present));  // a bundle more
  wanted.agree = "the same";
  EXPECT_THAT(message_of<UsageError>([&] { match(wanted); }), HasSubstr("is no digest"));
  wanted.agree = "";
  setenv("ATTUNE_AGREE", std::string(64, 'b').c_str(), 1);
  EXPECT_THAT(message_of<Error>([&] { match(wanted); }), HasSubstr(std::string(64, 'b')));
}

// Two users with equal folders at different places, and with databases that differ.
TEST_F(Overlay, TwoProcessesThatAgreeChooseTheSame) {
  const Record shared = made(2);
  const auto answer_of = [&](const std::string& name, std::int64_t own) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      close(ends[0]);
      DispatcherOptions wanted = with("", {folder_of(name, shared)});
      wanted.database = folder_ / (name + ".db");
      WisdomStore(wanted.database).put_record(made(own, Effort::exhaustive));
      Dispatcher own_choice(wanted);
      own_choice.add(kernel_of(offset_kernel));
      const std::string digest = own_choice.wisdom_digest();
      wanted.agree = digest;
      const std::string text =
          digest + " " + chosen(own_choice.match("offset", problem())) + " " + chosen(match(wanted));
      const bool is_written = write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
      _exit(is_written ? 0 : 1);
    }
    close(ends[1]);
    std::string text(256, '\0');
    const ssize_t size = read(ends[0], text.data(), text.size());
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    return text;
  };
  const std::string one = answer_of("one", 1), other = answer_of("other", 3);
  ASSERT_EQ(one.size(), 64u + 4);
  EXPECT_EQ(one.substr(0, 64), other.substr(0, 64));
  EXPECT_EQ(one.substr(64), " 1 2");
  EXPECT_EQ(other.substr(64), " 3 2");
}

TEST_F(Overlay, AnAliasMakesRecordsOfAnotherDeviceExact) {
  Record record = made(2);
  DeviceInfo other = device_->info();
  other.name = "Another processor";
  record.key.device_class = other.class_key();
  record.device_name = other.name;
  record.origin = Origin::measured;
  store(record);
  EXPECT_NE(match(options()).rung, Rung::exact);
  WisdomStore(database()).put_alias({device_->info().name, "Another processor"});
  const Match by_name = match(options());
  EXPECT_EQ(by_name.rung, Rung::exact) << by_name.why;
  EXPECT_THAT(by_name.why, HasSubstr(device_->info().name + " (as Another processor)"));
  DispatcherOptions agreed = options();
  agreed.agree = "any";  // the database, and so the alias, is not what all have
  EXPECT_NE(match(agreed).rung, Rung::exact);
  ASSERT_TRUE(WisdomStore(database()).remove_alias(device_->info().name));
  EXPECT_NE(match(options()).rung, Rung::exact);
}

}  // namespace
}  // namespace attune
