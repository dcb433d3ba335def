#include <fmt/format.h>

#include "attune/error.hpp"
#include "worker/boards.hpp"
#include "worker/pool.hpp"

namespace attune {

std::vector<std::string> Pool::open_all(const std::vector<std::string>& names) {
  std::vector<Ticket> tickets;
  for (LaneId lane = 0; lane < lanes(); ++lane) tickets.push_back(submit(OpenDevice{}, lane));
  std::vector<std::string> notes;
  std::exception_ptr first_error;
  for (const Ticket ticket : tickets) try {
      Result result = wait(ticket);
      if (result.error) std::rethrow_exception(result.error);
      if (const auto* failure = std::get_if<Failure>(&result.answer)) throw_failure(*failure);
      devices_[ticket.lane].opened = std::get<DeviceFacts>(std::move(result.answer));
      apply_aliases(devices_[ticket.lane].opened->info, aliases_);
    } catch (const Error& error) {
      if (!first_error) first_error = std::current_exception();
      const bool is_named = names.size() == tickets.size();
      notes.push_back(
          no_part_note(error.what(), is_named ? names[ticket.lane] : fmt::format("device {}", ticket.lane + 1)));
    }
  if (notes.size() == lanes()) std::rethrow_exception(first_error);
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(devices_, [](const DeviceOfLane& device) { return !device.opened; });
  }
  std::vector<DeviceInfo> opened;
  for (const DeviceOfLane& device : devices_) opened.push_back(device.opened->info);
  require_one_class(opened);
  return notes;
}

}  // namespace attune
