// ImageSource: the images of instances of one kernel, compiled ahead by a pool. Instances that differ only in launch
// parameters share one compile. One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernel/instance.hpp"
#include "worker/pool.hpp"

namespace attune {

struct CompiledInstance {
  std::shared_ptr<const Instance> instance;
  CompileOutcome outcome;  // 0 milliseconds when another instance caused the compile
  int deaths = 0;          // of compile workers
};

class ImageSource {
 public:
  explicit ImageSource(Pool& pool) : pool_(pool) {}

  void ask(std::shared_ptr<const Instance> instance);
  // Returns whether a result belongs to a compile requested here; it is kept for take().
  bool arrive(Result& result);
  // Returns whether take() has something to return, which is its precondition.
  bool is_ready() const noexcept { return !ready_.empty() || !arrived_.empty(); }
  CompiledInstance take();
  // Returns the instances with an image that take() returns next, in order, `most` at most.
  std::vector<const Instance*> upcoming(std::size_t most) const;

  // How many were requested and not taken; how many images take() did not reach; how many instances need none.
  std::size_t outstanding() const noexcept { return outstanding_; }
  std::size_t compiling() const noexcept { return waiting_.size(); }
  std::size_t ready() const noexcept { return ready_.size(); }
  bool is_waiting() const noexcept { return arrived_.size() < waiting_.size(); }
  // Forgets everything that was requested and not taken.
  void cancel();

 private:
  // Images of this many compiles are kept for later instances; at 20 KB a cubin that is 40 MB.
  static constexpr std::size_t most_kept_images = 2048;
  struct Kept {
    CompileOutcome outcome;
    int deaths = 0;
  };
  struct Waiting {
    std::string key;
    std::vector<std::shared_ptr<const Instance>> instances;
  };
  void keep(const std::string& key, Kept kept);

  Pool& pool_;
  std::map<std::string, Kept> kept_;  // by key_of() of the request
  std::deque<std::string> kept_order_;
  std::map<Ticket, Waiting> waiting_;
  std::map<std::string, Ticket> compiling_;  // by key_of() of the request
  std::deque<Result> arrived_;
  std::deque<CompiledInstance> ready_;
  std::size_t outstanding_ = 0;
};

}  // namespace attune
