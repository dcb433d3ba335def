// The C interface on the host device, with a folder of its own for wisdom and images.
#pragma once

#include <gmock/gmock.h>

#include <map>
#include <string>
#include <vector>

#include "../dispatch/dispatch_fixture.hpp"
#include "attune.h"
#include "spec/pack.hpp"

namespace attune {

class CApiTest : public DispatchTest {
 protected:
  CApiTest() {
    const attune_dispatcher_options given = c_options();
    EXPECT_EQ(attune_dispatcher_make(&given, &gpu_), ATTUNE_OK) << attune_last_error();
    add(offset_kernel);
  }
  ~CApiTest() override { attune_dispatcher_destroy(gpu_); }

  attune_dispatcher_options c_options() {
    attune_dispatcher_options given{};
    given.size = sizeof given;
    given.device = "host";
    given.database = database_.c_str();
    given.cache = cache_.c_str();
    given.warn = [](const char* message, void* data) {
      static_cast<std::vector<std::string>*>(data)->emplace_back(message);
    };
    given.warn_data = &warnings_;
    return given;
  }

  static std::vector<std::byte> bundle_bytes(const EmbeddedFile& file) {
    return bundle_of(make_pack(read_embedded_kernel(file), std::string(file.file_name)));
  }
  void add(const EmbeddedFile& file) {
    const std::vector<std::byte> bytes = bundle_bytes(file);
    EXPECT_EQ(attune_dispatcher_add_memory(gpu_, bytes.data(), bytes.size(), "a test's"), ATTUNE_OK)
        << attune_last_error();
  }
  attune_plan* plan(const char* kernel, const std::vector<attune_problem_value>& values) {
    const attune_problem problem{values.data(), values.size()};
    attune_plan* made = nullptr;
    EXPECT_EQ(attune_plan_make(gpu_, kernel, &problem, ATTUNE_POLICY_WAIT, &made), ATTUNE_OK) << attune_last_error();
    return made;
  }
  attune_statistics statistics() {
    attune_statistics known{};
    known.size = sizeof known;
    EXPECT_EQ(attune_dispatcher_statistics(gpu_, &known), ATTUNE_OK) << attune_last_error();
    return known;
  }

  const std::string database_ = database().string(), cache_ = (folder_ / "cache").string();
  attune_dispatcher* gpu_ = nullptr;
};

// Expects the status, and the message of this thread.
inline void expect_failure(attune_status got, attune_status status, const testing::Matcher<std::string>& message) {
  EXPECT_EQ(got, status);
  EXPECT_THAT(std::string(attune_last_error()), message);
}
inline void expect_usage_error(attune_status got, const std::string& part) {
  expect_failure(got, ATTUNE_USAGE_ERROR, testing::HasSubstr(part));
}

}  // namespace attune
