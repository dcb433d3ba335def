#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  record.boards = {{"GPU-1", 24, 12.5, 1.875}};
  record.boards_differ = true;
  EXPECT_EQ(
      records_to_csv({record}),
      "kernel,code,contract,device_class,problem,uuid,regime,objective,device_name,compute_capability,"
      "multiprocessors,configuration,median_ns,default_ns,speedup,speedup_low,speedup_high,effort,partial,"
      "narrowed,origin,superseded,unstable,default_verdict,self_checked,trials,toolchain,driver,attune_version,"
      "protocol,"
      "made_ms,space,seed,device_uuid,min_ns,q1_ns,q3_ns,batch,rounds,rounds_dropped,sm_clock_mhz,anchor_ratio,"
      "busy,value,default_value,choice,settled,source,boards,boards_differ\r\n"
      "reduce,cc,dd,cuda|NVIDIA H200|cc90,n=1024 T=float,u1,cold,time,\"A \"\"big\"\", fast\nGPU\",90,132,"
      "BLOCK=256 SCALE=0.1 FAST=true,12345.5,23456.75,1.875,1,1,measure,false,false,measured,false,false,ok,false,321,"
      "NVRTC 13.0,580.159 (CUDA 13.0),0.1.0,9,1760000000123,ee,18364758544493064720,,0,0,0,1,0,0,0,0,false,0,"
      "0,fastest,true,,\"[{\"\"uuid\"\":\"\"GPU-1\"\",\"\"rounds\"\":24,\"\"median_ns\"\":12.5,\"\"speedup\"\":1.875}]"
      "\",true\r\n");
  record.configuration = {{"ORDER", "two words"}, {"SCALE", 1.0}};
  EXPECT_NE(records_to_csv({record}).find(R"("{""ORDER"":""two words"",""SCALE"":1.0}")"), std::string::npos)
      << "a text that would not read back";
  EXPECT_EQ(records_to_csv({}).find("\r\n"), records_to_csv({}).size() - 2);
}

}  // namespace
}  // namespace attune::test
