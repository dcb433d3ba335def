// Records of a kernel on an H200, and the ladder of what fits a problem.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "kernel/ladder.hpp"

namespace attune::test {

inline KernelSpec reduce_spec() {
  KernelSpec spec;
  spec.name = "reduce";
  spec.problem = {{"n", ProblemKind::size, {}, {}, {}},
                  {"rows", ProblemKind::size, {}, {}, {}},
                  {"offset", ProblemKind::integer, {}, {}, {}},
                  {"T", ProblemKind::type, {"float", "double"}, {}, {}}};
  spec.parameters = {{"BLOCK", {256, 128, 512}}};
  spec.fingerprints = {"code1", "contract1", "space1"};
  return spec;
}

inline DeviceInfo h200() {
  DeviceInfo device;
  device.name = "NVIDIA H200";
  device.compute_capability = 90;
  device.multiprocessors = 132;
  device.memory_bytes = 141ull << 30;
  device.driver = "580.1 (CUDA 13.0)";
  return device;
}

inline Problem problem(std::int64_t n, std::int64_t rows = 1, const char* type = "float", std::int64_t offset = 0) {
  return {{"n", n}, {"rows", rows}, {"offset", offset}, {"T", type}};
}

class MatchLadder : public testing::Test {
 protected:
  Record record(const Problem& of, std::int64_t block, const DeviceInfo& device, std::string uuid = "u") const {
    Record record;
    record.uuid = std::move(uuid);
    record.key = {"reduce", "code1", "contract1", device.class_key(), of, "cold", "time"};
    record.device_name = device.name;
    record.compute_capability = device.compute_capability;
    record.multiprocessors = device.multiprocessors;
    record.configuration = {{"BLOCK", block}};
    record.speedup = 1.5;
    record.toolchain = "NVRTC 13.0";
    record.driver = device.driver;
    record.trials = 7;
    return record;
  }
  Record record(const Problem& of, std::int64_t block, std::string uuid = "u") const {
    return record(of, block, device_, std::move(uuid));
  }
  // By default: 128 for n <= 65536, 512 above; floats alone were measured.
  Cover cover(const std::string& tree = "T == 'float' ? (n <= 65536 ? 0 : 1) : -2") const {
    Cover cover;
    cover.key = record(problem_, 128).key;
    cover.key.problem = {};
    cover.device_name = device_.name;
    cover.configurations = {{{"BLOCK", 128}}, {{"BLOCK", 512}}};
    cover.tree = tree;
    cover.measured = "n >= 1024 && n <= 1048576";
    cover.problems = 8;
    cover.mean_loss = 0.012;
    cover.worst_loss = 0.05;
    return cover;
  }
  std::vector<GradedMatch> ladder(std::vector<Record> records) const { return match_ladder(request_, records); }
  void forbid(std::int64_t block) { spec_.rules.push_back(Expression("BLOCK != " + std::to_string(block))); }
  // The first rung's, or 0 when there is none.
  std::int64_t best_block(std::vector<Record> records) const {
    const auto rungs = ladder(std::move(records));
    return rungs.empty() ? 0 : rungs.front().match.configuration.at("BLOCK").integer();
  }

  KernelSpec spec_ = reduce_spec();
  Problem problem_ = problem(1000);
  DeviceInfo device_ = h200();
  MatchRequest request_{spec_, problem_, device_, "reduce"};
};

}  // namespace attune::test
