// attune space --audit
#include <fmt/format.h>

#include <algorithm>

#include "base/enum_texts.hpp"
#include "command.hpp"
#include "json_lines.hpp"
#include "put_text.hpp"
#include "space_views.hpp"
#include "text.hpp"

namespace attune::cli {
namespace {

using Json = nlohmann::ordered_json;

// Returns "331,776 (50.00 %)".
std::string removed_text(const Removed& removed) {
  if (removed.certainty == Certainty::unknown) return "unknown";
  const std::string share = share_text(removed.fraction);
  if (removed.certainty == Certainty::estimated) return "about " + share;
  return removed.count ? fmt::format("{} ({:>7})", count_text(*removed.count), share) : share;
}

// Returns the text of the last effect. If nothing is left, no number means anything.
std::string last_text(const RuleAudit& rule, const SpaceAudit& audit) {
  return audit.core && rule.need == Need::open ? "-" : removed_text(rule.last);
}

std::string need_text(const RuleAudit& rule, const SpaceAudit& audit) {
  if (rule.need == Need::always_holds) return "always holds";
  if (rule.need != Need::follows) return "";
  if (!rule.follows_from) return "follows from the other rules together";
  const std::string& source = audit.rules[*rule.follows_from].text;
  return rule.same ? fmt::format("says the same as `{}`: one of the two may go", source)
                   : fmt::format("follows from `{}`", source);
}

// Returns whether it is a limit of the device that no combination reaches: it gets no line.
bool is_idle_limit(const RuleAudit& rule) { return rule.implied && rule.need == Need::always_holds; }

void show_rules(const SpaceAudit& audit) {
  const auto idle = static_cast<std::size_t>(std::ranges::count_if(audit.rules, is_idle_limit));
  const char* const limits = idle == 1 ? "limit of the device always holds" : "limits of the device always hold";
  if (idle == audit.rules.size()) {
    put_text("{}\n", idle == 0 ? "no rules" : fmt::format("no rules but {} {}", idle, limits));
    return;
  }
  std::size_t alone = 5, last = 4;
  for (const RuleAudit& rule : audit.rules) {
    alone = std::max(alone, removed_text(rule.alone).size());
    last = std::max(last, last_text(rule, audit).size());
  }
  put_text("rules, with what each removes:\n  alone, of all combinations; last, of what the others leave\n");
  put_text("  {:>{}}  {:>{}}\n", "alone", alone, "last", last);
  for (std::size_t i = 0; i < audit.rules.size(); ++i) {
    const RuleAudit& rule = audit.rules[i];
    if (is_idle_limit(rule)) continue;
    const bool left_out = std::ranges::find(audit.left_out, i) != audit.left_out.end();
    const std::size_t column = alone + last + 6;
    const std::string about =
        (rule.implied ? " (a limit of the device)" : "") + std::string(left_out ? " (not counted)" : "");
    put_text("  {:>{}}  {:>{}}  {}\n", removed_text(rule.alone), alone, last_text(rule, audit), last,
             in_lines(rule.text + about, column));
    if (const std::string need = need_text(rule, audit); !need.empty())
      put_text("{:{}}{}\n", "", column + 2, in_lines(need, column + 2));
  }
  if (idle > 0) put_text("  and {} {}\n", idle, limits);
}

void show_parameters(const SpaceAudit& audit) {
  std::string never, only, unmentioned;
  for (const ParameterAudit& parameter : audit.parameters) {
    if (!parameter.never.empty())
      never += fmt::format("  {:<16}{}\n", parameter.name, in_lines(joined_values(parameter.never), 18));
    if (parameter.only) only += (only.empty() ? "" : ", ") + parameter.name + "=" + parameter.only->text();
    if (!parameter.mentioned) unmentioned += (unmentioned.empty() ? "" : ", ") + parameter.name;
  }
  if (!never.empty()) put_text("values that never occur\n{}", never);
  if (!only.empty()) put_text("parameters with one value left, which cannot matter\n  {}\n", in_lines(only, 2));
  if (!unmentioned.empty()) put_text("parameters that no rule mentions\n  {}\n", in_lines(unmentioned, 2));
}

void show_core(const SpaceAudit& audit) {
  if (!audit.core) return;
  const std::size_t count = audit.core->rules.size();
  if (count == 1)
    put_text("this rule alone leaves nothing\n");
  else
    put_text("these {} rules together leave nothing; {}\n", count,
             audit.core->smallest ? "no fewer do" : "each of them is needed, but another set may be smaller");
  for (const std::size_t rule : audit.core->rules)
    put_text("  {}\n",
             in_lines(audit.rules[rule].text + (audit.rules[rule].implied ? " (a limit of the device)" : ""), 4));
}

Json removed_json(const Removed& removed) {
  constexpr EnumTexts<Certainty> certainties("exact", "estimated", "unknown");
  Json item;
  item["certainty"] = certainties[removed.certainty];
  item["count"] = removed.count ? Json(to_text(*removed.count)) : Json(nullptr);
  item["fraction"] = removed.certainty == Certainty::unknown ? Json(nullptr) : Json(removed.fraction);
  return item;
}

Json rule_json(const RuleAudit& rule) {
  constexpr EnumTexts<Need> needs("needed", "follows", "always_holds", "open");
  Json item;
  item["rule"] = rule.text;
  item["implied"] = rule.implied;
  item["alone"] = removed_json(rule.alone);
  item["last"] = removed_json(rule.last);
  item["need"] = needs[rule.need];
  item["follows_from"] = rule.follows_from ? Json(*rule.follows_from) : Json(nullptr);
  item["same"] = rule.same;
  return item;
}

Json parameter_json(const ParameterAudit& parameter) {
  Json item, never = Json::array();
  for (const Value& value : parameter.never) never.push_back(to_json(value));
  item["name"] = parameter.name;
  item["never"] = std::move(never);
  item["only"] = parameter.only ? to_json(*parameter.only) : Json(nullptr);
  item["mentioned"] = parameter.mentioned;
  return item;
}

}  // namespace

int show_audit(const AskedSpace& asked, bool json) {
  const SpaceAudit found = audit(asked.space);
  if (!json) {
    put_text("{}\n  {}\n", in_lines(asked.title(), 2), legal_line(asked.space));
    show_core(found);
    show_rules(found);
    show_parameters(found);
    return exit_done;
  }
  Json line = space_json(asked, "audit");
  line["rules"] = Json::array();
  for (const RuleAudit& rule : found.rules) line["rules"].push_back(rule_json(rule));
  line["parameters"] = Json::array();
  for (const ParameterAudit& parameter : found.parameters) line["parameters"].push_back(parameter_json(parameter));
  line["core"] = nullptr;
  if (found.core) line["core"] = {{"rules", found.core->rules}, {"smallest", found.core->smallest}};
  print_json(line);
  return exit_done;
}

}  // namespace attune::cli
