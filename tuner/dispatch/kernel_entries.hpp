// KernelEntries: what a Dispatcher has prepared of one kernel, by problem. A launch of a known problem takes no lock.
// Any thread. Owned by a Dispatcher.
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

// What the entries of all kernels share. It outlives them.
struct EntryServices {
  std::shared_ptr<Device> device;
  std::function<Planned(const KernelPack&, const Problem&, Policy)> plan;  // passes warnings on
  std::function<void(const std::string&)> warn;
  Background* background = nullptr;
  std::shared_ptr<Holdings> holdings = std::make_shared<Holdings>();  // whose epochs are those of launches
};

class KernelEntries {
 public:
  // Throws UsageError for a kernel that launches by look-up cannot serve. What is passed must outlive it.
  KernelEntries(const KernelPack& pack, const EntryServices& services);

  void launch(Policy policy, StreamHandle stream, std::span<const ProblemValue> values,
              std::span<const PlanArgument> arguments);
  // Prepares a problem: its launches then only look up.
  void prepare(const Problem& problem);
  // Prepares anew what is prepared, as wisdom may have come since; what is in use meanwhile stays valid.
  void refresh();
  // Says which plans are held here.
  void survey(Survey& survey) const;
  // Lets go of plans with doomed code, and of plans that were replaced. The next launch of such a problem prepares it
  // again.
  void drop(const Doomed& doomed, Dropped& dropped);

  const std::string& name() const noexcept { return pack_.spec.name; }
  std::uint64_t size() const;  // entries
  std::uint64_t swaps() const noexcept { return swaps_; }

 private:
  // What an entry launches at present. Immutable; stays until no launch can read it.
  struct Present {
    std::shared_ptr<const PlanParts> parts;
    bool is_best = true;
    std::int64_t ask_again_ns = 0;  // of the steady clock, where the wisdom could not be read; 0: never
  };
  struct alignas(64) Entry {
    explicit Entry(const ProblemKey& of) : key(of) {}
    // What a launch reads beside the entry's first two lines.
    std::span<const std::byte> memory() const noexcept {
      const LaunchBlock* const plain = block.load(std::memory_order_relaxed);
      return plain != nullptr ? plain->memory() : std::span<const std::byte>();
    }
    const ProblemKey key;
    std::atomic<const LaunchBlock*> block{nullptr};  // of the present one, where nothing else is to be looked at
    std::atomic<const Present*> present{nullptr};    // null: it is to be prepared again
    LastUse used;
    std::atomic<bool> is_awaited{false};  // the best is being prepared
    std::atomic<bool> warned{false};      // of a misaligned array
    mutable std::mutex mutex;
    std::vector<std::shared_ptr<const Present>> kept;  // the present one, and those before that launches may read
  };
  // A plan that its user holds.
  struct Made {
    Entry& entry;
    std::shared_ptr<const PlanParts> parts;
    bool awaits_best = false;  // await_best() is to follow
  };
  Made make(const ProblemKey& key, Policy policy, StreamHandle stream);
  void launch_made(const Made& made, StreamHandle stream, std::span<const PlanArgument> arguments);
  std::shared_ptr<const PlanParts> set(Entry& entry, Planned planned);
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
