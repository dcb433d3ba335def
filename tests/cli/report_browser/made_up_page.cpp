// made_up_page FILE: writes a page of 4,156 made-up trials with hostile names, for the browser. Returns 77 if there is
// no bundle.
#include <fmt/format.h>

#include <fstream>

#include "apps/attune/report/page.hpp"
#include "apps/attune/report/vega_bundle.hpp"

namespace attune::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr int trials = 4156;

const std::vector<std::string>& hostile_texts() {
  static const std::vector<std::string> texts = {"</script><script>console.log('ran')</script>",
                                                 "<img src=x onerror=\"console.log('ran')\">",
                                                 "\xe2\x80\xa8 line \xe2\x80\xa9 paragraph",
                                                 "\"&'`<!--",
                                                 "\x1b[31mred\x1b[0m\x9b",
                                                 std::string(10000, 'x'),
                                                 "${console.log('ran')}{{datum}}",
                                                 "a[b].c\\'+console.log(1)+\"",
                                                 "__proto__",
                                                 "constructor",
                                                 "\xff\xfe not UTF-8",
                                                 "https://example.invalid/?q=<b>"};
  return texts;
}

const std::string& hostile(int i) { return hostile_texts()[static_cast<std::size_t>(i) % hostile_texts().size()]; }

// Every 13th trial has no time, as one that failed.
Json rows() {
  Json made = Json::array();
  for (int i = 0; i < trials; ++i) {
    const bool is_right = i % 13 != 0;
    Json row = {{"c0", i}, {"c1", is_right ? Json(1000 + (i * 7919 % 100003) * 37.25) : Json()}, {"c2", 32 << i % 6}};
    row["c3"] = i * 131 % 1000;
    row["c4"] = is_right ? "right" : "compile_error";
    row["c5"] = hostile(i);
    row["c6"] = i % 2 == 0;
    row["c7"] = i % 3;
    row["c8"] = i % 5;
    made.push_back(std::move(row));
  }
  return made;
}

Json channel(std::string_view field, std::string_view type, std::string_view title) {
  return {{"field", field}, {"type", type}, {"title", title}};
}

Page made_up_page() {
  Chart scatter{.id = "scatter", .title = hostile(0), .caption = hostile(1)};
  scatter.fields = {{"c0", "order", true, false},
                    {"c1", "time, of those that ran", true, true},
                    {"c2", "BLOCK", true, true},
                    {"c3", hostile(5), true, false},
                    {"c4", "verdict", false, false},
                    {"c5", "__proto__ as a name", false, false},
                    {"c7", hostile(0)},
                    {"c8", hostile(8)},
                    {"c6", hostile(6), false, false}};
  Json time = channel("c1", "quantitative", "time [ns]");
  time["scale"] = {{"type", "log"}};
  scatter.spec = {{"data", {{"name", "trials"}}}, {"mark", {{"type", "point"}, {"filled", true}}}, {"height", 320}};
  scatter.spec["encoding"] = {
      {"x", channel("c0", "quantitative", "order")}, {"y", time}, {"color", channel("c4", "nominal", "verdict")}};

  Chart bars{.id = "bars", .title = "Bars", .caption = hostile(3)};
  Json values = Json::array();
  for (int i = 0; i < 12; ++i) values.push_back({{"name", hostile(i)}, {"share", 0.01 * (i + 1)}});
  bars.spec = {{"data", {{"values", values}}}, {"mark", "bar"}};
  bars.spec["encoding"] = {{"x", channel("share", "quantitative", hostile(5))},
                           {"y", channel("name", "nominal", hostile(2))}};

  Chart decades{.id = "decades", .title = "Decades", .caption = "of a logarithmic axis"};
  decades.spec = {{"data", {{"name", "trials"}}}, {"height", 200}};
  Json decade = channel("c1", "quantitative", "time");
  decade["scale"] = {{"type", "log"}, {"domain", {0.001, 1e9}}};
  decades.spec["layer"] = {{{"mark", "tick"}, {"encoding", {{"x", decade}}}}};

  Page page{.title = hostile(0)};
  page.sections.push_back({"first", hostile(1), fmt::format("<p>{}</p>", escaped(hostile(0))), {scatter}});
  page.sections.push_back({"second", "More", "<p>Two more.</p>", {bars, decades}});
  page.datasets["trials"] = rows();
  return page;
}

}  // namespace
}  // namespace attune::cli

int main(int, char** argv) {
  const std::optional<std::string> bundle = attune::cli::vega_bundle();
  std::ofstream(argv[1], std::ios::binary) << attune::cli::page_html(attune::cli::made_up_page(), bundle);
  return bundle ? 0 : 77;
}
