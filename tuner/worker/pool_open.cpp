#include <fmt/format.h>

#include <set>

#include "attune/error.hpp"
#include "worker/boards.hpp"
#include "worker/pool.hpp"

namespace attune {

std::vector<std::string> Pool::open_all() {
  std::vector<Ticket> tickets;
  for (LaneId lane = 0; lane < lanes(); ++lane) tickets.push_back(submit(OpenDevice{}, lane));
  std::vector<std::string> left;
  std::exception_ptr first_error;
  for (const Ticket ticket : tickets) try {
      Result result = wait(ticket);
      if (result.error) std::rethrow_exception(result.error);
      if (const auto* failure = std::get_if<Failure>(&result.answer)) throw_failure(*failure);
      devices_[ticket.lane].opened = std::get<DeviceFacts>(std::move(result.answer));
      apply_aliases(devices_[ticket.lane].opened->info, aliases_);
    } catch (const Error& error) {
      if (!first_error) first_error = std::current_exception();
      left.emplace_back(error.what());
    }
  if (left.size() == lanes()) std::rethrow_exception(first_error);
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(devices_, [](const DeviceOfLane& device) { return !device.opened; });
  }
  const DeviceInfo& first = device().info;
  std::set<std::string> uuids;
  for (const DeviceOfLane& device : devices_) {
    const DeviceInfo& info = device.opened->info;
    if (info.class_key() != first.class_key())
      throw UsageError(
          fmt::format("{} and {} are of two classes, and a session is of one: tune for each class by itself",
                      board_text(first), board_text(info)));
    if (!info.uuid.empty() && !uuids.insert(info.uuid).second)
      throw UsageError(fmt::format("two workers opened {}: name each board once", board_text(info)));
  }
  return left;
}

}  // namespace attune
