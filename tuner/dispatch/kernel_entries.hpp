// KernelEntries: the plans that a Dispatcher has prepared for launches of one kernel, by problem. A launch of a known
// problem takes no lock. Any thread. Owned by a Dispatcher.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "attune/kernel.hpp"
#include "attune/policy.hpp"
#include "bundle/kernel_pack.hpp"
#include "device/device.hpp"
#include "dispatch/background.hpp"
#include "dispatch/entry_table.hpp"
#include "dispatch/holdings.hpp"
#include "dispatch/planner.hpp"
#include "dispatch/problem_key.hpp"
#include "dispatch/survey.hpp"

namespace attune {

// What the entries of all kernels share. It must outlive them.
struct EntryServices {
  std::shared_ptr<Device> device;
  std::function<PlannedParts(const KernelPack&, const Problem&, Policy)> plan;  // makes a plan, and delivers warnings
  std::function<void(const std::string&)> warn;
  Background* background = nullptr;
  std::shared_ptr<Holdings> holdings = std::make_shared<Holdings>();  // its epochs date the launches
};

class KernelEntries {
 public:
  // Throws UsageError for a kernel with more than eight names in [problem]. `pack` and `services` must outlive it.
  KernelEntries(const KernelPack& pack, const EntryServices& services);

  // Launches as Kernel::launch() says.
  void launch(Policy policy, StreamHandle stream, std::span<const ProblemValue> values,
              std::span<const PlanArgument> arguments);
  // Prepares a problem, so that its launches only look it up.
  void prepare(const Problem& problem);
  // Prepares again every problem that is prepared, because there may be new wisdom. Present plans stay valid meanwhile.
  void refresh();
  // Adds to the survey the plans that are held here.
  void survey(Survey& survey) const;
  // Moves plans with doomed code, and plans that were replaced, to `dropped`. The next launch of a problem whose plan
  // was dropped prepares it again.
  void drop(const ModuleSet& doomed, Garbage& dropped);

  const std::string& name() const noexcept { return pack_.spec.name; }
  std::uint64_t size() const;  // entries
  std::uint64_t swaps() const noexcept { return swaps_; }

 private:
  // The plan that an entry launches at present. Immutable. It stays until no launch can read it.
  struct Present {
    std::shared_ptr<const PlanParts> parts;
    bool is_best = true;
    std::int64_t ask_again_ns = 0;  // steady clock; 0: never. Set where the wisdom could not be read
  };
  struct alignas(64) Entry {
    explicit Entry(const ProblemKey& of) : key(of) {}
    // Returns the memory that a launch reads besides the entry's first two lines.
    std::span<const std::byte> memory() const noexcept {
      const LaunchBlock* const plain = block.load(std::memory_order_relaxed);
      return plain != nullptr ? plain->memory() : std::span<const std::byte>();
    }
    const ProblemKey key;
    // The block of `present`; null where there is none, or where `present` must be looked at first.
    std::atomic<const LaunchBlock*> block{nullptr};
    std::atomic<const Present*> present{nullptr};  // null: the problem must be prepared again
    LastUse used;
    std::atomic<bool> is_awaited{false};  // the best configuration is being prepared
    std::atomic<bool> warned{false};      // a warning of a misaligned array was given
    mutable std::mutex mutex;
    std::vector<std::shared_ptr<const Present>> kept;  // `present`, and replaced ones that launches may still read
  };
  // A plan that was just made for a launch, which holds it.
  struct FreshPlan {
    Entry& entry;
    std::shared_ptr<const PlanParts> parts;
    bool awaits_best = false;  // await_best() must be called after the launch
  };
  FreshPlan make(const ProblemKey& key, Policy policy, StreamHandle stream);
  void launch_made(const FreshPlan& made, StreamHandle stream, std::span<const PlanArgument> arguments);
  std::shared_ptr<const PlanParts> set(Entry& entry, PlannedParts planned);
  bool is_best(const ProblemKey& key) const;
  void await_best(Entry& entry);
  bool launch_known(Entry& entry, StreamHandle stream, std::span<const PlanArgument> arguments);
  void warn_of_misaligned(Entry& entry, const PlanParts& parts, const std::string* array);

  const KernelPack& pack_;
  const EntryServices& services_;
  const KeyRecipe recipe_;
  EntryTable<Entry> table_;
  std::atomic<std::uint64_t> swaps_ = 0;
};

}  // namespace attune
