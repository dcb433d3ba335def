#include "session/image_source.hpp"

#include <utility>

namespace attune {

void ImageSource::ask(std::shared_ptr<const Instance> instance) {
  ++outstanding_;
  const std::string key = instance->image ? instance->image_key : instance->text;
  if (std::optional<CompileResult> found = instance->image ? kept_->find(key) : std::nullopt) {
    ready_.push_back({std::move(instance), std::move(found->outcome), found->deaths});
    ready_.back().outcome.milliseconds = 0;
    return;
  }
  const auto [compile, is_new] = compiles_.try_emplace(key);
  if (is_new && instance->image) {
    keys_.emplace(pool_.submit(*instance->image), key);
  } else if (is_new) {
    compile->second.compiled.outcome.image.emplace();
    compile->second.compiled.outcome.milliseconds = instance->made_ms;
    arrived_.push_back(key);
  }
  compile->second.instances.push_back(std::move(instance));
}

bool ImageSource::arrive(Result& result) {
  const auto found = keys_.find(result.ticket);
  if (found == keys_.end()) return false;
  compiles_.at(found->second).compiled = {std::move(std::get<CompileAnswer>(result.answer).outcomes.front()),
                                          result.deaths};
  arrived_.push_back(std::move(found->second));
  keys_.erase(found);
  return true;
}

CompiledInstance ImageSource::take() {
  if (ready_.empty()) {
    const auto found = compiles_.find(arrived_.front());
    SharedCompile& shared = found->second;
    bool is_first = true;
    for (std::shared_ptr<const Instance>& instance : shared.instances) {
      ready_.push_back({std::move(instance), shared.compiled.outcome, shared.compiled.deaths});
      if (!std::exchange(is_first, false)) ready_.back().outcome.milliseconds = 0;
    }
    if (ready_.back().instance->image) kept_->keep(found->first, std::move(shared.compiled));
    compiles_.erase(found);
    arrived_.pop_front();
  }
  CompiledInstance next = std::move(ready_.front());
  ready_.pop_front();
  --outstanding_;
  return next;
}

bool ImageSource::take_all(const std::atomic<int>& stop, const std::function<void(CompiledInstance)>& taken) {
  while (outstanding_ > 0) {
    while (!is_ready()) {
      std::optional<Result> result = pool_.next(stop);
      if (!result) {
        cancel();
        return false;
      }
      arrive(*result);
    }
    taken(take());
  }
  return true;
}

std::vector<const Instance*> ImageSource::upcoming(std::size_t most) const {
  std::vector<const Instance*> found;
  const auto add = [&](const std::shared_ptr<const Instance>& instance, const CompileOutcome& outcome) {
    if (outcome.image && found.size() < most) found.push_back(instance.get());
  };
  for (const CompiledInstance& next : ready_) add(next.instance, next.outcome);
  for (const std::string& key : arrived_)
    for (const std::shared_ptr<const Instance>& instance : compiles_.at(key).instances)
      add(instance, compiles_.at(key).compiled.outcome);
  return found;
}

void ImageSource::cancel() {
  pool_.cancel_compiles();
  compiles_.clear();
  keys_.clear();
  arrived_.clear();
  ready_.clear();
  outstanding_ = 0;
}

}  // namespace attune
