#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exports/provenance.hpp"
#include "exports/records_csv.hpp"

namespace attune::test {
namespace {

TEST(RecordsAsCsv, HaveAHeaderLineAndOneLineEach) {
  Record record;
  record.uuid = "u1";
  record.key = {"reduce", "cc", "dd", "cuda|NVIDIA H200|cc90", {{"n", 1024}, {"T", "float"}}, "cold", "time"};
  record.space = "ee";
  record.device_name = "A \"big\", fast\nGPU";
  record.compute_capability = 90;
  record.multiprocessors = 132;
  record.driver = "580.159 (CUDA 13.0)";
  record.configuration = {{"BLOCK", 256}, {"SCALE", 0.1}, {"FAST", true}};
  record.median_ns = 12345.5;
  record.default_ns = 23456.75;
  record.speedup = 1.875;
  record.trials = 321;
  record.seed = 18364758544493064720u;
  record.toolchain = "NVRTC 13.0";
  record.attune_version = "0.1.0";
  record.made_ms = 1760000000123;
  EXPECT_EQ(records_to_csv({record}),
            "uuid,kernel,code,contract,space,device_class,device,compute_capability,multiprocessors,driver,problem,"
            "regime,objective,configuration,median_ns,default_ns,speedup,speedup_low,speedup_high,effort,partial,"
            "unstable,self_checked,trials,seed,protocol,toolchain,attune_version,made\r\n"
            "u1,reduce,cc,dd,ee,cuda|NVIDIA H200|cc90,\"A \"\"big\"\", fast\nGPU\",90,132,580.159 (CUDA 13.0),"
            "n=1024 T=float,cold,time,BLOCK=256 SCALE=0.1 FAST=true,12345.5,23456.75,1.875,1,1,measure,false,false,"
            "false,321,18364758544493064720,8,NVRTC 13.0,0.1.0,2025-10-09T08:53:20Z\r\n");
  EXPECT_EQ(records_to_csv({}).find("\r\n"), records_to_csv({}).size() - 2);
}

TEST(RecordsAsCsv, HaveDatesOfEveryCalendar) {
  EXPECT_EQ(utc_date(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(utc_date(-5), "-5 ms");
  EXPECT_EQ(utc_date(std::numeric_limits<std::int64_t>::max()), "9223372036854775807 ms");
}

}  // namespace
}  // namespace attune::test
