// The profiler's names of the metrics that are read, from Volta on.
#pragma once

#include <string_view>

namespace attune::metric {

// Waves are shown with two digits behind the point: 265 blocks of which 264 fit are 1.00. The other launch metrics say
// it.
constexpr std::string_view waves = "launch__waves_per_multiprocessor";
constexpr std::string_view blocks = "launch__grid_size";
constexpr std::string_view multiprocessors = "launch__sm_count";
constexpr std::string_view blocks_that_fit[] = {"launch__occupancy_limit_blocks", "launch__occupancy_limit_registers",
                                                "launch__occupancy_limit_shared_mem", "launch__occupancy_limit_warps"};
constexpr std::string_view registers = "launch__registers_per_thread";
constexpr std::string_view warps_active = "sm__warps_active.avg.pct_of_peak_sustained_active";
constexpr std::string_view multiprocessor_throughput = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
constexpr std::string_view dram_throughput = "dram__throughput.avg.pct_of_peak_sustained_elapsed";
constexpr std::string_view dram_bytes = "dram__bytes.sum";
// Passes of shared memory, and those of them that only conflicts make necessary.
constexpr std::string_view bank_conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum";
constexpr std::string_view shared_wavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum";
// Sectors of 32 bytes, requests of a warp, and the share of the sectors' bytes that threads asked for.
constexpr std::string_view load_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
constexpr std::string_view load_requests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
constexpr std::string_view store_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
constexpr std::string_view store_requests = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum";
constexpr std::string_view load_efficiency = "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct";
constexpr std::string_view store_efficiency = "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct";
// Sectors of local memory: spilled registers, and arrays of a thread that are indexed.
constexpr std::string_view local_loads = "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum";
constexpr std::string_view local_stores = "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum";
constexpr std::string_view active_threads = "smsp__thread_inst_executed_per_inst_executed.ratio";  // of 32

}  // namespace attune::metric
