// `attune tune` on a terminal: its last line moves while nothing happens, and is gone at the end.
#include <fstream>

#include "cli/workbench.hpp"
#include "support/on_terminal.hpp"

namespace attune::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view of_data = "  making data and the reference's results, ";
constexpr std::string_view of_bench = "  compiling and comparing, ";

class OnATerminal : public Workbench {
 protected:
  void SetUp() override {
    Workbench::SetUp();
    const std::string compiler = write(
        "compiler", "#!/bin/sh\ncase \" $* \" in *' kernel.cpp '*)\nleft=300\nwhile [ ! -e " + go() +
                        " ] && [ $left -gt 0 ]; do left=$((left - 1)); sleep 0.1; done;;\nesac\nexec g++ \"$@\"\n");
    fs::permissions(compiler, fs::perms::owner_all);
  }
  // The compiler works once this file is there, or half a minute later.
  std::string go() const { return (folder_ / "go").string(); }

  using Answer = std::function<std::string(const std::string&)>;
  OnTerminal run_on_terminal(std::vector<std::string> arguments, const Answer& answer, Terminal terminal = {}) const {
    arguments.insert(arguments.begin(), ATTUNE_BUILD_DIR "/bin/attune");
    const auto program = [&] {
      setenv("ATTUNE_DEVICE", "host", 1);
      setenv("ATTUNE_DB", database().c_str(), 1);
      setenv("ATTUNE_CACHE", (folder_ / "cache").c_str(), 1);
      setenv("ATTUNE_HOST_CXX", (folder_ / "compiler").c_str(), 1);
      std::vector<char*> list;
      for (std::string& argument : arguments) list.push_back(argument.data());
      list.push_back(nullptr);
      execv(list[0], list.data());
    };
    return on_terminal(program, terminal, answer);
  }
  OnTerminal tune(const Answer& answer, Terminal terminal = {}) const {
    return run_on_terminal({"tune", scale()}, answer, terminal);
  }
};

TEST_F(OnATerminal, TheLineMovesWhileACompilerWorks) {
  const OnTerminal tuned = tune([this](const std::string& text) {
    if (live_lines_of(text, of_data) >= 2) std::ofstream(go()).put('\n');
    return std::string();
  });
  EXPECT_EQ(tuned.code, 0) << tuned.text;
  EXPECT_GE(live_lines_of(tuned.text, of_data), 2u) << tuned.text;
  EXPECT_GE(live_lines_of(tuned.text, "  searching: "), 1u);
  EXPECT_GE(live_lines_of(tuned.text, "  comparing"), 1u);
  const std::string end = tuned.text.substr(tuned.text.rfind("\x1b[2K"));
  EXPECT_THAT(end, HasSubstr("5 trials: 5 right")) << "results are printed where the line was";
}

TEST_F(OnATerminal, ABenchHasALineToo) {
  const OnTerminal compared = run_on_terminal({"bench", scale(), "--rounds", "3"}, [this](const std::string& text) {
    if (live_lines_of(text, of_bench) >= 2) std::ofstream(go()).put('\n');
    return std::string();
  });
  EXPECT_EQ(compared.code, 0) << compared.text;
  EXPECT_GE(live_lines_of(compared.text, of_bench), 2u) << compared.text;
  EXPECT_THAT(compared.text.substr(compared.text.rfind("\x1b[2K")), HasSubstr("default"));
}

TEST_F(OnATerminal, TheLineIsCutToTheTerminal) {
  const OnTerminal tuned = tune(
      [this](const std::string&) {
        std::ofstream(go()).put('\n');
        return std::string();
      },
      {.columns = 30});
  EXPECT_EQ(tuned.code, 0) << tuned.text;
  for (const std::string& line : live_lines(tuned.text)) EXPECT_LT(line.size(), 30u) << line;
}

TEST_F(OnATerminal, AnInterruptLeavesNoLine) {
  bool is_typed = false;
  const OnTerminal tuned = tune([&](const std::string& text) {
    if (is_typed || live_lines_of(text, of_data) < 1) return std::string();
    is_typed = true;
    std::ofstream(go()).put('\n');
    return std::string("\x03");
  });
  EXPECT_EQ(tuned.code, 130) << tuned.text;
  EXPECT_THAT(tuned.text.substr(tuned.text.rfind("\x1b[2K")), Not(HasSubstr("making data")));
}

}  // namespace
}  // namespace attune::test
