#include "session/explanations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.hpp"
#include "session/rejections.hpp"

namespace attune {

std::string stopped_explanation() {
  return "\nstopped early: nearly all of the first configurations fail alike. When the kernel is right, "
         "[restrictions] lacks a rule that excludes them (attune check runs one configuration, attune space --audit "
         "shows what rules remove); --keep-going searches on all the same";
}

std::string out_of_time_explanation(const std::string& kernel, const std::string& what, const std::string& did,
                                    double seconds) {
  return fmt::format(
      "{} of {} {} within {:.6g} s; a longer --time-limit gives it more time, `attune check` shows how long it takes",
      what, kernel, did, seconds);
}

std::string default_explanation(const Configuration& by_default, const std::string& why) {
  return why + "\nthe default configuration is " + by_default.text() +
         ". Without a [[reference]] all results are compared with those of the default, so the default must run: put "
         "values first that run here, exclude these by a rule in [restrictions], or give a [[reference]]";
}

std::string failures_explanation(std::span<const Trial* const> trials, std::int64_t survivors) {
  Rejections rejections;
  for (const Trial* const trial : trials) rejections.see(*trial);
  std::string text = (survivors == 0 ? "none" : std::to_string(survivors)) + " of the " +
                     counted(trials.size(), "configuration") + " tried survived";
  const std::vector<Rejection> list = rejections.list();
  for (const Rejection& rejection : list)
    text += ", " + std::to_string(rejection.count) + " " + std::string(to_text(rejection.verdict));
  if (list.empty()) return text;
  const Rejection& most = list.front();
  text += "\nfor instance " + most.example.text() + ":\n" + most.detail;
  if (most.verdict == Verdict::wrong_result && most.count == rejections.trials())
    text += "\nall disagree with the reference: look at [[reference]] and at the tolerances in [check] first";
  return text;
}

bool is_of_data(Verdict verdict) {
  return verdict == Verdict::fault || verdict == Verdict::guard || verdict == Verdict::timeout;
}

std::string left_out_explanation(const std::vector<QuarantineEntry>& entries) {
  if (entries.empty()) return "";
  constexpr std::size_t most_named = 3;
  std::string text = "left out: " + counted(entries.size(), "configuration") + " (";
  for (std::size_t i = 0; i < std::min(entries.size(), most_named); ++i)
    text += (i > 0 ? "; " : "") + entries[i].configuration.text() + ": " + std::string(to_text(entries[i].verdict));
  if (entries.size() > most_named) text += "; and " + std::to_string(entries.size() - most_named) + " more";
  text += "); the same command ";
  const auto chances = static_cast<std::size_t>(std::count_if(
      entries.begin(), entries.end(), [](const QuarantineEntry& entry) { return entry.has_second_chance; }));
  if (chances > 0 && chances < entries.size())
    return text + "tries " + std::to_string(chances) + " of them again, with --lift-quarantine all of them";
  return text + (chances == 0 ? "with --lift-quarantine " : "") + "tries " + (entries.size() == 1 ? "it" : "them") +
         " again";
}

std::string no_stream_explanation(const std::string& kernel) {
  return kernel +
         " has no stream of launches: it changes an input, which is restored before each launch; use --regime cold or "
         "warm, or `restore = false` where it may run on its own results";
}

}  // namespace attune
