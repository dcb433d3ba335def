// A dispatcher on the host device with a folder of its own for wisdom and images.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "attune/attune.hpp"
#include "attune/builtin.hpp"
#include "attune/kernel_files.hpp"
#include "core/record.hpp"
#include "db/wisdom_store.hpp"
#include "spec/kernel_file.hpp"
#include "support/made_record.hpp"

namespace attune {

// Adds OFFSET to n integers; OFFSET = 13 does not compile. `calls` counts the launches of one plan.
inline constexpr EmbeddedFile offset_kernel{"offset.cu", R"cu(/*attune
[kernel]
name = "offset"
[problem]
n = "size"
T = ["int32", "int64"]
[parameters]
OFFSET = [1, 2, 3, 13]
BLOCK = [64, 32]
[restrictions]
rules = ["OFFSET != 3 || n >= 100"]
[[launch]]
memset = "count"
value = 0
[[launch]]
entry = "offset<T, OFFSET, BLOCK>"
grid = ["ceil_div(n, BLOCK)"]
block = ["BLOCK"]
arguments = ["data", "count", "calls", "n", "twice"]
[arguments]
data = { type = "T", size = "n", role = "inout" }
count = { type = "int32", size = "2", role = "out" }
calls = { type = "int32", size = "1", role = "scratch" }
n = { type = "int64" }
twice = { type = "int64", value = "2 * n" }
*/
template <typename T, int OFFSET, int BLOCK>
__global__ void offset(T* data, int* count, int* calls, long long n, long long twice) {
    static_assert(OFFSET != 13, "thirteen brings bad luck");
    const long long i = static_cast<long long>(blockIdx.x) * BLOCK + threadIdx.x;
    if (i < n) data[i] += OFFSET;
    if (i == 0) {
      calls[0] += 1;
      count[0] += calls[0];
      count[1] += static_cast<int>(twice);
    }
  }
)cu"};

// Returns a kernel file inside a test, as an application has it.
inline Bundle kernel_of(const EmbeddedFile& file) { return kernel_bundle(read_embedded_kernel(file), file.file_name); }

class DispatchTest : public testing::Test {
 protected:
  DispatchTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "attune-dispatch-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
    folder_ = pattern;
    std::filesystem::create_directory(folder_ / "data");
    std::filesystem::permissions(folder_ / "data", std::filesystem::perms::owner_all);
  }
  ~DispatchTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path database() const { return folder_ / "data" / "wisdom.db"; }
  DispatcherOptions options() {
    return {"host", database(), folder_ / "cache",
            [this](const std::string& message) { warnings_.push_back(message); }};
  }

  // A record of offset_kernel (or another) for this machine's host device, as a session would leave it.
  Record record(const DeviceInfo& device, const Problem& problem, const Configuration& configuration,
                const EmbeddedFile& kernel = offset_kernel) {
    return made_record(read_embedded_kernel(kernel), device, problem, configuration, toolchain_);
  }
  void store(const Record& record) { WisdomStore(database()).put_record(record); }

  std::filesystem::path folder_;
  std::vector<std::string> warnings_;
  std::string toolchain_;  // of the records
};

}  // namespace attune
