// ImageSource: the images of configurations, compiled ahead. Configurations that differ in launch parameters alone
// share one compile. One thread calls it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "worker/compile_pool.hpp"

namespace attune {

class ImageSource {
 public:
  ImageSource(std::shared_ptr<Compiler> compiler, unsigned threads) : pool_(std::move(compiler), threads) {}

  // Asks for an image; `ticket` comes back with it.
  void ask(std::uint64_t ticket, const ImageRequest& request);
  // How many asked for were not yet given.
  std::size_t outstanding() const noexcept { return outstanding_; }
  // How many images were asked for that next() did not come to; how many configurations wait for none.
  std::size_t compiling() const noexcept { return compiling_.size(); }
  std::size_t ready() const noexcept { return ready_.size(); }
  // The next one that is ready, waiting for it, or none once `stop` is not 0. outstanding() must not be 0.
  // `milliseconds` of the outcome is 0 when another configuration had it compiled. Throws Error when the compiler
  // itself is broken.
  std::optional<CompileResult> next(const std::atomic<int>& stop);
  // Whether next() would not wait.
  bool is_ready() { return !ready_.empty() || pool_.is_ready(); }
  // Forgets everything that was asked for and not given.
  void cancel();

 private:
  // Images of this many compiles are kept for configurations to come; at 20 KB a cubin that is 40 MB.
  static constexpr std::size_t kKeptImages = 2048;
  void keep(const std::string& key, const CompileOutcome& outcome);

  CompilePool pool_;
  std::map<std::string, CompileOutcome> kept_;
  std::deque<std::string> kept_order_;
  std::map<std::string, std::vector<std::uint64_t>> waiting_;  // by key: tickets
  std::map<std::uint64_t, std::string> compiling_;             // by job: key
  std::deque<CompileResult> ready_;
  std::size_t outstanding_ = 0;
  std::uint64_t next_job_ = 1;
};

}  // namespace attune
