// Pages of docs/ as a reader follows them: every command of a page is run, in its order and in one folder, on the host
// device, and prints what the page says.
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "cli/workbench.hpp"

namespace attune::test {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view indent = "    ", prompt = "$ ", gap = "...";

// A command of the page and the lines that follow it.
struct Shown {
  std::string command;
  std::vector<std::string> output;
};

std::vector<Shown> commands_of(const fs::path& page) {
  std::ifstream in(page);
  std::vector<Shown> found;
  bool is_shown = false;
  for (std::string line; std::getline(in, line);) {
    is_shown = is_shown && line.starts_with(indent);
    if (!line.starts_with(indent)) continue;
    const std::string text = line.substr(indent.size());
    if (text.starts_with(prompt)) {
      found.push_back({text.substr(prompt.size()), {}});
      is_shown = true;
    } else if (is_shown) {
      found.back().output.push_back(text);
    }
  }
  return found;
}

// Whether the parts of `pattern`, between its gaps, stand in `line` from its beginning to its end.
bool fits(std::string_view line, std::string_view pattern) {
  for (bool is_first = true;; is_first = false) {
    const std::size_t end = pattern.find(gap);
    const std::string_view part = pattern.substr(0, end);
    const std::size_t at = is_first ? (line.starts_with(part) ? 0 : std::string_view::npos) : line.find(part);
    if (at == std::string_view::npos) return false;
    if (end == std::string_view::npos) return is_first ? line == part : line.ends_with(part);
    line.remove_prefix(at + part.size());
    pattern.remove_prefix(end + gap.size());
  }
}

// Every line of the page stands in the output, in its order. A gap alone stands for any lines.
void expect_shown(const std::string& output, const Shown& shown) {
  std::istringstream lines(output);
  std::string line;
  bool may_skip = false;
  for (const std::string& wanted : shown.output) {
    if (wanted == gap) {
      may_skip = true;
      continue;
    }
    bool found = false;
    while (!found && std::getline(lines, line)) {
      found = fits(line, wanted);
      if (!found && !may_skip) break;
    }
    EXPECT_TRUE(found) << "`" << shown.command << "` does not print `" << wanted << "` where the page says so:\n"
                       << output;
    if (!found) return;
    may_skip = false;
  }
}

// Returns the kernel file that the page shows.
std::string kernel_of(const fs::path& page) {
  const std::string text = content_of(page), fence = "```", opening = fence + "cuda\n/*attune";
  const std::size_t begin = text.find(opening);
  if (begin == std::string::npos) throw std::runtime_error(page.string() + " shows no kernel file");
  const std::size_t first = text.find("/*attune", begin);
  return text.substr(first, text.find(fence, first) - first);
}

class Tutorial : public Workbench {
 protected:
  // Runs the commands of a page of docs/. It has at least `least`.
  void follow(const std::string& page, std::size_t least) const;
};

void Tutorial::follow(const std::string& page, std::size_t least) const {
  const std::vector<Shown> all = commands_of(ATTUNE_SOURCE_DIR "/docs/" + page);
  ASSERT_GE(all.size(), least);
  for (const Shown& shown : all) {
    SCOPED_TRACE(shown.command);
    CommandOptions options;
    options.environment = {{"PATH", ATTUNE_BUILD_DIR "/bin:" + std::string(std::getenv("PATH"))},
                           {"ATTUNE_DEVICE", "host"},
                           {"ATTUNE_DB", database()},
                           {"ATTUNE_CACHE", (folder_ / "cache").string()}};
    const CommandResult result =
        run_command({"/bin/sh", "-c", "cd " + folder_.string() + " && " + shown.command}, options);
    expect_shown(result.out + result.err, shown);
  }
}

TEST_F(Tutorial, EveryCommandPrintsWhatThePageSays) {
  fs::copy(ATTUNE_SOURCE_DIR "/apps/examples/tutorial/matmul.cu", folder_);
  follow("tutorial.md", 10);
}

TEST_F(Tutorial, TheOutputThatIsExplainedIsTheOutput) {
  fs::copy(ATTUNE_SOURCE_DIR "/apps/examples/tutorial/matmul.cu", folder_);
  follow("reading_the_output.md", 9);
}

// What the front page shows was printed on a GPU. Figures, values and names are others here, the words are the same.

// Returns the lines of the page's first block of output.
std::vector<std::string> output_on(const fs::path& page) {
  std::vector<std::string> lines;
  bool is_shown = false;
  for (const std::string& line : lines_of(content_of(page))) {
    if (is_shown && line == "```") break;
    if (is_shown && line != gap && !line.starts_with(prompt)) lines.push_back(line);
    is_shown = is_shown || line == "```text";
  }
  return lines;
}

// Returns a line with words for figures and units, for device and compiler, and for values of parameters.
std::string words_of(std::string line, const std::string& device) {
  if (const std::size_t at = line.find(device); at != std::string::npos) line.replace(at, device.size(), "DEVICE");
  const std::string four_digits = R"(\b([0-9]\.[0-9]{3}|[0-9]{2}\.[0-9]{2}|[0-9]{3}\.[0-9]) )";
  const std::pair<std::string, std::string> words[] = {{R"(, [0-9.]+ % of the measured [a-z ]+ ceiling)", ""},
                                                       {R"(, unstable)", ""},
                                                       {R"(\((sm_[0-9]+|host), )", "(ARCHITECTURE, "},
                                                       {R"((NVRTC|g\+\+) [0-9.]+)", "COMPILER"},
                                                       {R"(kept in .*)", "kept in FILE"},
                                                       {R"(( *\b[A-Z_]+=[A-Za-z0-9_:]+)+)", " VALUES"},
                                                       {four_digits + R"([num]?s\b)", "TIME"},
                                                       {four_digits + R"([kMGT]?(B|FLOP)/s)", "RATE"},
                                                       {R"([0-9]+(,[0-9]+)*(\.[0-9]+)?)", "0"},
                                                       {R"(  +)", " "}};
  for (const auto& [from, to] : words) line = std::regex_replace(line, std::regex(from), to);
  return line;
}

TEST_F(Tutorial, TheFrontPageShowsWhatTheProgramsPrint) {
  const std::vector<std::string> shown = output_on(ATTUNE_SOURCE_DIR "/README.md");
  ASSERT_GE(shown.size(), 18u);
  const std::string tuned = output_of({"tune", ATTUNE_SOURCE_DIR "/apps/examples/tutorial/matmul.cu", "--seed", "1"});
  const CommandResult application = run("tutorial", {});
  ASSERT_EQ(application.code, 0) << application.err;
  const std::string device = events_of({"devices"}).back().at("name");
  std::set<std::string> words;
  for (const std::string& line : lines_of(tuned + application.out)) words.insert(words_of(line, device));
  for (const std::string& line : shown) {
    const std::string wanted = words_of(line, "NVIDIA H100 80GB HBM3");
    const auto found = words.lower_bound(wanted);  // what is printed may go on: "(median of paired ratios)"
    EXPECT_TRUE(found != words.end() && found->starts_with(wanted))
        << "README.md shows `" << line << "`, but nothing prints `" << wanted << "`:\n"
        << tuned << application.out;
  }
}

TEST_F(Tutorial, MacrosConstantsAndPartialSumsWorkAsTheComparisonSays) {
  write("weighted_sum.cu", kernel_of(ATTUNE_SOURCE_DIR "/docs/coming_from.md"));
  follow("coming_from.md", 2);
}

// Returns what stands between the fences of this number behind a heading.
std::string block_of(const std::string& page, const std::string& heading, int number) {
  std::size_t begin = page.find(heading), end = begin;
  for (int i = 0; i <= number; ++i) {
    begin = page.find("\n", page.find("\n```", end) + 1) + 1;
    end = page.find("\n```", begin) + 1;
    if (i < number) end += 3;
  }
  return page.substr(begin, end - begin);
}

// The page leaves out the hints at the end of a draft.
TEST_F(Tutorial, AProgramIsTunedAsTheComparisonSays) {
  const std::string page = content_of(ATTUNE_SOURCE_DIR "/docs/coming_from.md"), heading = "## A file with main()";
  const std::string program = write("saxpy.cu", block_of(page, heading, 0));
  const std::string printed = output_of({"new", program});
  const std::string draft = (folder_ / "saxpy.attune.cu").string();
  const std::vector<std::string> drafted = lines_of(content_of(draft));
  auto at = drafted.begin();
  for (const std::string& line : lines_of(block_of(page, heading, 1))) {
    at = std::find(at, drafted.end(), line);
    ASSERT_NE(at, drafted.end()) << "the draft lacks `" << line << "`:\n" << content_of(draft);
  }
  for (const std::string& line : lines_of(block_of(page, heading, 2))) {
    if (!line.starts_with("  line ")) continue;
    EXPECT_THAT(printed, testing::HasSubstr(line));
  }
  if (output_of({"--version"}).find("NVRTC   none") != std::string::npos) GTEST_SKIP() << "needs NVRTC";
  EXPECT_THAT(output_of({"check", draft, "--device", "sm_90"}), testing::HasSubstr("verdict: ok"));
}

}  // namespace
}  // namespace attune::test
