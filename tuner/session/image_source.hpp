// ImageSource: has a pool compile the images of one kernel's instances ahead. Instances that differ only in launch
// parameters share one compile. One thread.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "session/kept_images.hpp"
#include "subject/instance.hpp"
#include "worker/pool.hpp"

namespace attune {

struct CompiledInstance {
  std::shared_ptr<const Instance> instance;
  CompileOutcome outcome;  // with 0 milliseconds if another instance caused the compile
  int deaths = 0;          // of compile workers, during the compile
};

class ImageSource {
 public:
  // `kept`: images of sessions before this one; null: none.
  explicit ImageSource(Pool& pool, std::shared_ptr<KeptImages> kept = nullptr)
      : pool_(pool), kept_(kept ? std::move(kept) : std::make_shared<KeptImages>()) {}

  // Asks for an instance's image. An instance without one is ready at once.
  void ask(std::shared_ptr<const Instance> instance);
  // Returns whether a result belongs to a compile requested here. If so, takes the result and keeps it for take().
  bool arrive(Result& result);
  // Returns whether take() may be called: whether it has something to return.
  bool is_ready() const noexcept { return !ready_.empty() || !arrived_.empty(); }
  CompiledInstance take();
  // Waits for all outstanding instances, and calls `taken` with each. Once `stop` is not 0, cancels the rest and
  // returns false. The pool must have no other job.
  bool take_all(const std::atomic<int>& stop, const std::function<void(CompiledInstance)>& taken);
  // Returns, in order, the instances with an image that take() will return next, `most` at most.
  std::vector<const Instance*> upcoming(std::size_t most) const;

  // Return how many instances were requested and not taken; how many compiles are not taken yet; how many instances
  // need no further compile.
  std::size_t outstanding() const noexcept { return outstanding_; }
  std::size_t compiling() const noexcept { return compiles_.size(); }
  std::size_t ready() const noexcept { return ready_.size(); }
  bool is_waiting() const noexcept { return arrived_.size() < compiles_.size(); }
  // Cancels and forgets everything that was requested and not taken.
  void cancel();

 private:
  struct SharedCompile {
    std::vector<std::shared_ptr<const Instance>> instances;
    CompileResult compiled;  // once it has arrived
  };

  Pool& pool_;
  const std::shared_ptr<KeptImages> kept_;
  // By the key of the image; by the instance's text where there is no image.
  std::map<std::string, SharedCompile> compiles_;
  std::map<Ticket, std::string> keys_;  // of the compiles that the pool has
  std::deque<std::string> arrived_;
  std::deque<CompiledInstance> ready_;
  std::size_t outstanding_ = 0;
};

}  // namespace attune
