// PrecompiledHeaders: spares NVRTC from parsing heavy headers again for each configuration. Only compilers made with
// HeavyHeaders::precompile use them, because a compile that makes them takes longer and needs up to 180 MB of disk. The
// first source gets NVRTC's automatic precompiled headers at once. Another source takes its place when it comes twice
// in a row with the same options. Configurations that differ in their macros share the headers in front of these. A
// process has one object of this class, because the files are mapped at an address of their process. Thread-safe.
// Nothing here makes a compile fail: after an error with precompiled headers, the caller compiles without them.
#pragma once

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
#include "device/cuda/nvrtc_program.hpp"

namespace attune::cuda {

// Returns whether parsing the headers of the source costs more than reading them precompiled.
bool has_heavy_headers(const SourceText& source);

struct PchCounts {
  int created = 0;   // files made by NVRTC
  int used = 0;      // compiles that read one
  int grown = 0;     // NVRTC's heap was too small for them and was enlarged
  int given_up = 0;  // sources that fail with precompiled headers
};

class PrecompiledHeaders {
 public:
  // `parent`: the folder in which the folder of this process is made, at the first use.
  PrecompiledHeaders(const NvrtcLibrary& library, std::filesystem::path parent);

  // One compile with precompiled headers; no other begins until it is destroyed.
  class PchUse {
   public:
    const std::vector<std::string>& options() const noexcept { return options_; }
    // Notes the result of the compile, and removes messages about the files from the log. Adds to `opened` the files
    // that went into the precompiled headers.
    void finish(NvrtcProgram program, NvrtcResult result, std::string& log, std::string& opened);
    // Notes that the compile failed with precompiled headers and succeeded without them. This source then never gets
    // them again.
    void blame();

   private:
    friend class PrecompiledHeaders;
    PchUse(PrecompiledHeaders& owner, std::unique_lock<std::mutex> lock, std::vector<std::string> options)
        : owner_(&owner), lock_(std::move(lock)), options_(std::move(options)) {}
    PrecompiledHeaders* owner_;
    std::unique_lock<std::mutex> lock_;
    std::vector<std::string> options_;
  };

  // Returns nothing when the caller is to compile as usual. `options`: all options of the compile, in order. `headers`:
  // the part of the source that is to be precompiled, and what it may include.
  std::optional<PchUse> begin(const SourceText& headers, const std::vector<std::string>& options);

  PchCounts counts() const;
  // Returns the folder of this process; empty before the first use.
  std::filesystem::path folder() const;

 private:
  // Precompiled content depends on the source and the options. NVRTC does not check headers given as text: it would
  // reuse the content of others with equal names.
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
  mutable std::mutex mutex_;  // guards all members below; held during a compile: NVRTC has one heap for all compiles
  std::optional<PchFolder> folder_;
  std::map<std::string, std::string> seen_;  // the options with which a source came first
  std::set<std::string> hopeless_;           // sources whose options differ, or that failed
  std::optional<Key> last_, current_;
  std::string opened_;  // the list of files from when the current file was made
  int generation_ = 0;
  PchCounts counts_;
};

// Compiles with the precompiled headers of this process where that pays. After any failure with them it compiles
// without.
CompiledProgram compile_precompiled(const NvrtcLibrary& library, const ImageRequest& request,
                                    const std::vector<std::string>& options);

// Returns the headers of this process, for nvrtc(). A process that ends by exit() removes their folder.
PrecompiledHeaders& precompiled_headers();

}  // namespace attune::cuda
