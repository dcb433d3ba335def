// dispatch_bench: what launching through attune costs.
//   dispatch_bench idle | gpu [--launches N]     dispatch_bench memory N | records N
//   dispatch_bench sizes BYTES_OF_SOURCE
//   dispatch_bench cold CACHE_FOLDER | nvrtc | compile | prepare FOLDER | background FOLDER   (of fresh_processes)
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "bench.hpp"

int main(int argc, char** argv) try {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto number = [&](std::size_t i, int otherwise) { return words.size() > i ? std::stoi(words[i]) : otherwise; };
  const std::string what = words.empty() ? "idle" : words[0];
  if (what == "idle") return attune::bench::run_idle(number(2, 20'000));
  if (what == "memory") return attune::bench::run_memory(number(1, 1'000'000));
  if (what == "gpu") return attune::bench::run_on_gpu(number(2, 500));
  if (what == "cold" && words.size() == 2) return attune::bench::run_cold(words[1]);
  if (what == "nvrtc") return attune::bench::run_nvrtc(false);
  if (what == "compile") return attune::bench::run_nvrtc(true);
  if (what == "prepare" && words.size() == 2) return attune::bench::run_prepare(words[1]);
  if (what == "background" && words.size() == 2) return attune::bench::run_background(words[1]);
  if (what == "records") return attune::bench::run_records(number(1, 100'000));
  if (what == "sizes") return attune::bench::run_sizes(number(1, 20'000));
  std::fputs(
      "dispatch_bench idle|gpu [--launches N] | memory N | records N | sizes BYTES_OF_SOURCE | nvrtc | compile | "
      "cold|prepare|background FOLDER\n",
      stderr);
  return 2;
} catch (const std::exception& error) {
  std::fprintf(stderr, "dispatch_bench: %s\n", error.what());
  return 1;
}
