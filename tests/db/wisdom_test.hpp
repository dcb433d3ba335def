// What the tests of a wisdom database share: complete sample values, and a fixture with a file.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include <cstdint>

#include "attune/kernel_spec.hpp"
#include "core/cover.hpp"
#include "core/record.hpp"
#include "core/trial.hpp"
#include "db/scratch.hpp"
#include "db/wisdom_store.hpp"

namespace attune::test {

inline RecordKey sample_key(std::int64_t n = 1024) {
  RecordKey key;
  key.kernel = "reduce";
  key.code = std::string(64, 'c');
  key.contract = std::string(64, 'd');
  key.device_class = "cuda|NVIDIA H200|cc90|sm132|mem141G|bus6144|l2-60M|mig-";
  key.problem = Problem{{"n", n}, {"T", "float"}};
  return key;
}

inline Record sample_record(std::int64_t n = 1024) {
  Record record;
  record.uuid = make_uuid();
  record.key = sample_key(n);
  record.device_name = "NVIDIA H200";
  record.compute_capability = 90;
  record.multiprocessors = 132;
  record.configuration = Configuration{{"BLOCK", 256}, {"FAST", true}, {"SCALE", 0.1}, {"ORDER", "Order::rows"}};
  record.median_ns = 12345.678901234567;
  record.default_ns = 23456.7;
  record.speedup = 1.9;
  record.speedup_low = 1.8999999999999999;
  record.speedup_high = 1.91;
  record.effort = Effort::measure;
  record.self_checked = true;
  record.space = std::string(64, 'e');
  record.toolchain = "NVRTC 13.0";
  record.driver = "580.159 (CUDA 13.0)";
  record.device_uuid = "GPU-1234";
  record.attune_version = "0.1.0";
  record.protocol = first_present_protocol;
  record.seed = 0xfedcba9876543210;
  record.trials = 321;
  record.made_ms = 1760000000123;
  record.min_ns = 12000.5;
  record.q1_ns = 12300.1;
  record.q3_ns = 12400.9;
  record.batch = 60;
  record.rounds = 40;
  record.rounds_dropped = 2;
  record.sm_clock_mhz = 1980;
  record.anchor_ratio = 1.01;
  record.busy = true;
  record.value = 0.125;
  record.default_value = 0.25;
  record.choice = Choice::leaner;
  record.settled = false;
  record.boards = {{"GPU-1234", 24, 12345.5, 1.875}, {"GPU-5678", 16, 12400.25, 1.75}};
  record.boards_differ = true;
  return record;
}

// A cover of the kernel and device of sample_record().
inline Cover sample_cover() {
  Cover cover;
  cover.key = sample_key();
  cover.key.problem = {};
  cover.device_name = "NVIDIA H200";
  cover.configurations = {{{"BLOCK", 256}, {"ORDER", "a\nb \"c\""}}, {{"BLOCK", 512}, {"ORDER", "d"}}};
  cover.tree = "n <= 65536 ? 0 : -1";
  cover.measured = "n >= 1024 && n <= 1048576";
  cover.problems = 8;
  cover.mean_loss = 0.012;
  cover.worst_loss = 1.0 / 3;
  cover.attune_version = "0.1.0";
  cover.made_ms = 1760000000123;
  return cover;
}

// The kernel of sample_record().
inline KernelSpec sample_kernel() {
  KernelSpec spec;
  spec.name = "reduce";
  spec.problem = {{"n", ProblemKind::size, {}, 1024, {}}, {"T", ProblemKind::type, {"float", "double"}, {}, {}}};
  spec.parameters = {{"BLOCK", {64, 128, 256, 512}},
                     {"FAST", {false, true}},
                     {"SCALE", {0.1, 0.5}},
                     {"ORDER", {"Order::columns", "Order::rows"}}};
  spec.fingerprints = {std::string(64, 'c'), std::string(64, 'd'), std::string(64, 'e')};
  return spec;
}

inline SessionRow sample_session(std::int64_t n = 1024) {
  SessionRow session;
  session.key.record = sample_key(n);
  session.key.space = std::string(64, 'e');
  session.key.effort = Effort::patient;
  session.key.strategy = "random";
  session.seed = 0xfedcba9876543210;
  session.used_seconds = 1.5;
  session.toolchain = "NVRTC 13.0";
  session.driver = "580.159 (CUDA 13.0)";
  session.device_uuid = "GPU-1234";
  session.host = "node7";
  session.attune_version = "0.1.0";
  session.constants = R"({"rounds":8})";
  session.started_ms = 1760000000000;
  return session;
}

inline DeviceInfo sample_device() {
  DeviceInfo device;
  device.name = "NVIDIA H200";
  device.compute_capability = 90;
  device.multiprocessors = 132;
  device.memory_bytes = std::uint64_t{141} << 30;
  device.memory_bus_bits = 6144;
  device.l2_bytes = std::uint64_t{60} << 20;
  return device;
}

inline Trial sample_trial(int block) {
  Trial trial;
  trial.configuration = Configuration{{"BLOCK", block}, {"ORDER", "Order::rows"}};
  trial.measurement = {{12.5, 13.25, 0.1}, 0.1, 6.3, 12.5, 13.0};
  trial.compile_ms = 81.25;
  trial.usage = {40, 1024, 16, 8, 400};
  trial.numerics.max_absolute = 1e-7;
  trial.anchor_ns = 25.5;
  trial.made_ms = 1760000000321;
  trial.worker = 1;
  trial.board = "GPU-5678";
  trial.shapes = {{{64, 1, 1}, {static_cast<std::uint32_t>(block), 1, 1}, 0}};
  return trial;
}

inline Configuration configuration(int block) { return sample_trial(block).configuration; }

// A wisdom database in a folder of its own, which is made in `parent`.
class WisdomTest : public testing::Test {
 protected:
  explicit WisdomTest(const std::filesystem::path& parent = std::filesystem::temp_directory_path())
      : scratch_(parent) {}
  // Changes the file past the store, as a careless hand or another program does it.
  void execute(const std::string& statements) const {
    SQLite::Database(file_.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec(statements);
  }
  std::string answer_to(const std::string& query) const {
    return SQLite::Database(file_.string()).execAndGet(query).getString();
  }
  // A session begun in `store`, or in the file.
  static std::int64_t begin(WisdomStore& store, std::int64_t n = 1024) {
    return store.begin_session(sample_session(n), sample_device());
  }
  std::int64_t begin() const {
    WisdomStore store(file_);
    return begin(store);
  }
  const Scratch scratch_;
  const std::filesystem::path file_ = scratch_ / "w.db";
};

}  // namespace attune::test
