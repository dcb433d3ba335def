// PrecompiledHeaders: keeps NVRTC from parsing heavy headers once per configuration. A source that comes a second time
// in a row with the same options is compiled with NVRTC's automatic precompiled headers; the first time without, as
// making them takes longer, and 180 MB of disk, and most programs compile a source just once. One per process: the
// files are mapped at an address of the process that made them. Thread-safe. Nothing here fails a compile: what cannot
// be done is left out, and whoever got an error with precompiled headers compiles again without.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "attune/kernel_spec.hpp"
#include "device/cuda/nvrtc_library.hpp"
#include "device/cuda/nvrtc_pch_folder.hpp"

namespace attune::cuda {

// The names in #include <...>, of the source and its headers, each once. Comments are not told from code.
std::vector<std::string> angle_includes(const SourceText& source);

// Would parsing its headers cost more than reading them precompiled?
bool has_heavy_headers(const SourceText& source);

struct PchCounts {
  int created = 0;   // files that NVRTC made
  int used = 0;      // compiles that read one
  int grown = 0;     // times that NVRTC's heap for them was too small, and was enlarged
  int given_up = 0;  // sources with which it does not work
};

class PrecompiledHeaders {
 public:
  // `parent`: where the folder is made, at the first use.
  PrecompiledHeaders(const NvrtcLibrary& library, std::filesystem::path parent);

  // One compile with precompiled headers; no other begins until it is destroyed.
  class Use {
   public:
    const std::vector<std::string>& options() const noexcept { return options_; }
    // After the compile: takes note of how it went, and takes out of the log what is said of the files.
    void finish(NvrtcProgram program, NvrtcResult result, std::string& log);
    // The compile failed with precompiled headers and succeeds without: never again for this source.
    void blame();

   private:
    friend class PrecompiledHeaders;
    Use(PrecompiledHeaders& owner, std::unique_lock<std::mutex> lock, std::vector<std::string> options)
        : owner_(&owner), lock_(std::move(lock)), options_(std::move(options)) {}
    PrecompiledHeaders* owner_;
    std::unique_lock<std::mutex> lock_;
    std::vector<std::string> options_;
  };

  // Nothing: compile as usual. `options`: all that the compile is given, in order.
  std::optional<Use> begin(const SourceText& source, const std::vector<std::string>& options);

  // Makes them the first time already.
  void expect_repeats() noexcept { expects_repeats_ = true; }

  PchCounts counts() const;
  // Of this process; empty before the first use.
  std::filesystem::path folder() const;

 private:
  // What is precompiled depends on both. NVRTC itself does not look at headers that it was given as text: it would go
  // on using those that it knows by the same names.
  struct Key {
    std::string source, options;  // digests
    friend bool operator==(const Key&, const Key&) = default;
  };
  bool wanted(const Key& key);
  bool make_room(const Key& key);
  void drop_current();
  void give_up();
  void grow_heap(NvrtcProgram program);

  const NvrtcLibrary& library_;
  const std::filesystem::path parent_;
  mutable std::mutex mutex_;  // of all below, and held through a compile: NVRTC has one heap for all of them
  std::optional<PchFolder> folder_;
  std::map<std::string, std::string> seen_;  // the options with which a source came first
  std::set<std::string> hopeless_;           // sources: options differ, or it did not work
  std::optional<Key> last_, current_;
  std::atomic<bool> expects_repeats_ = false;
  int generation_ = 0;
  PchCounts counts_;
};

// Of this process, for nvrtc(); its folder goes when the process ends by exit().
PrecompiledHeaders& precompiled_headers();

// For a process that does nothing but compile the configurations of kernels: precompiled_headers().expect_repeats() for
// when NVRTC is loaded, if ever.
void expect_repeated_sources() noexcept;

}  // namespace attune::cuda
