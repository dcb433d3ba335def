// The page of a report: what others have written is text in it, and its policy names its scripts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "apps/attune/report/page.hpp"
#include "apps/attune/report/vega_bundle.hpp"
#include "attune/error.hpp"

namespace attune::cli {
namespace {

using Json = nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

constexpr std::string_view hostile = "</script><script>alert(1)</script><!--\" \xe2\x80\xa8 \xff";

Page hostile_page() {
  const std::string text(hostile);
  Page page{.title = text};
  Chart chart{.id = "chart", .title = text, .caption = text};
  chart.spec = {{"data", {{"name", "trials"}}}, {"mark", "point"}, {"description", text}};
  chart.fields = {{"c0", text, false, false}};
  page.sections.push_back({"first", text, "<p>" + escaped(text) + "</p>", {chart}});
  page.datasets["trials"] = {{{"c0", text}}, {{"c0", "b"}}, {{"c0", text}, {"c1", 2.5}}};
  return page;
}

std::size_t count_of(std::string_view piece, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) ++count;
  return count;
}

// Returns what the page's script parses.
Json data_in(const std::string& html) {
  const std::string begin = "id=\"report-data\">";
  const std::size_t from = html.find(begin) + begin.size();
  return Json::parse(html.substr(from, html.find("</script>", from) - from));
}

TEST(ReportPage, ShowsTextOfOthersAsText) {
  EXPECT_EQ(escaped("<a href=\"x\" id='y'>&amp;"), "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;");
  EXPECT_EQ(escaped("\x1b[31m\xff\xc2\x9b"), "\\x1b[31m\\xff\\x9b") << "controls, and what is no UTF-8";
  const std::string html = page_html(hostile_page(), "bundle");
  EXPECT_EQ(count_of("<script", html), 3) << "the data, the bundle, the page's own";
  EXPECT_EQ(count_of("</script", html), 3);
  EXPECT_EQ(count_of("<!--", html), 0);
}

TEST(ReportPage, KeepsTheDataOfOthersWhole) {
  const Json data = data_in(page_html(hostile_page(), "bundle"));
  const std::string text = std::string(hostile.substr(0, hostile.size() - 1)) + "\xef\xbf\xbd";
  const Json& chart = data.at("charts").at(0);
  EXPECT_EQ(chart.at("spec").at("description"), text);
  EXPECT_EQ(chart.at("fields").at(0).at("title"), text);
  EXPECT_EQ(data.at("datasets").at("trials").at("c0").at("of").at(0), text);
}

TEST(ReportPage, HasEachTextOfADatasetOnce) {
  const Json trials = data_in(page_html(hostile_page(), "bundle")).at("datasets").at("trials");
  EXPECT_THAT(trials.at("c0").at("at"), ElementsAre(0, 1, 0));
  EXPECT_THAT(trials.at("c1"), ElementsAre(nullptr, nullptr, 2.5)) << "what a row lacks is null";
}

TEST(ReportPage, AllowsItsOwnScriptsAlone) {
  const std::string html = page_html(hostile_page(), "abc");
  EXPECT_THAT(html, HasSubstr("content=\"default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-"));
  EXPECT_THAT(html, HasSubstr("; script-src 'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=' 'sha256-"));
  EXPECT_THAT(html, Not(HasSubstr("unsafe")));
  EXPECT_THAT(html, Not(HasSubstr(" style=\"")));
}

TEST(ReportPage, HasNoPlaceForPicturesWithoutABundle) {
  const std::string html = page_html(hostile_page(), std::nullopt);
  EXPECT_THAT(html, HasSubstr("<p class=\"note\">This page has no pictures"));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("<figure")));
  EXPECT_THAT(html, HasSubstr("<p>" + escaped(hostile) + "</p>"));
}

TEST(ReportPage, CarriesTheNoticesOfWhatDrawsItsPictures) {
  std::ifstream file(ATTUNE_SOURCE_DIR "/apps/attune/report/notices.txt");
  const std::string notices(std::istreambuf_iterator<char>(file), {});
  for (const char* const name :
       {"vega and its packages", "vega-lite:", "vega-embed:", "vega-tooltip:", "Mike Bostock", "Redistributions"})
    EXPECT_THAT(notices, HasSubstr(name));
  for (const std::optional<std::string_view> bundle : {std::optional<std::string_view>("abc"), {}})
    EXPECT_THAT(page_html({.title = "t"}, bundle), HasSubstr("<pre>" + escaped(notices) + "</pre>"));
}

class VegaBundle : public testing::Test {
 protected:
  VegaBundle() { setenv("ATTUNE_VEGA_BUNDLE", file_.c_str(), 1); }
  ~VegaBundle() override {
    unsetenv("ATTUNE_VEGA_BUNDLE");
    std::filesystem::remove(file_);
  }
  void write(std::string_view text) { std::ofstream(file_, std::ios::binary) << text; }

 private:
  std::string file_ = testing::TempDir() + "vega_bundle.js";
};

TEST_F(VegaBundle, IsTheFileThatTheEnvironmentNames) {
  write("let a = 1;\r\nlet b;\n");
  EXPECT_EQ(vega_bundle(), "let a = 1;\nlet b;\n") << "as the browser reads it";
}

TEST_F(VegaBundle, ThatIsNamedIsUsableOrAnError) {
  EXPECT_THAT([] { vega_bundle(); }, ThrowsMessage<Error>(HasSubstr("vega_bundle.js for the pictures of reports: ")));
  write("");
  EXPECT_THAT([] { vega_bundle(); }, ThrowsMessage<Error>(HasSubstr("it is empty")));
  write("a = '</script>'");
  EXPECT_THAT([] { vega_bundle(); }, ThrowsMessage<Error>(HasSubstr("a page cannot hold its `</script`")));
}

}  // namespace
}  // namespace attune::cli
