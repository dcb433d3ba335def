// attune-embed: names of constants and of files, in headers for C++ and for C.
#include <filesystem>

#include "attune/bundle.hpp"
#include "cli/workbench.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Embed : public Workbench {
 protected:
  CommandResult embed(const std::string& file, const std::string& output, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {file, "--output", (folder_ / output).string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run("attune-embed", arguments);
  }
  // Compiles a program that includes the header, and returns what it prints.
  std::string output_with(const std::string& header, const std::string& before, const std::string& statement) const {
    const std::string source = write(
        "main" + std::string(header.ends_with(".h") ? ".c" : ".cpp"),
        before + "#include <stdio.h>\n#include \"" + header + "\"\nint main(void) { " + statement + " return 0; }\n");
    const std::string program = (folder_ / "main").string();
    std::vector<std::string> command = {ATTUNE_TEST_CXX, "-Wall", "-Wextra", "-Wpedantic", "-Werror"};
    if (header.ends_with(".h"))
      command.insert(command.end(), {"-x", "c", "-std=c11"});
    else
      command.insert(command.end(), {"-std=gnu++20", "-I" ATTUNE_SOURCE_DIR "/tuner/bundle/include"});
    command.insert(command.end(), {source, "-o", program});
    const CommandResult compiled = run_command(command);
    EXPECT_EQ(compiled.code, 0) << compiled.err;
    return run_command({program}).out;
  }
};

TEST_F(Embed, RefusesNamesThatCppCannotHave) {
  for (const std::string name : {"a b", "class", "1a", "a::b", "", "a-b", "not", "defined", "__x"})
    for (const std::string output : {"made.hpp", "made.h"}) {
      const CommandResult result = embed(scale(), output, {"--name", name});
      EXPECT_EQ(result.code, 1) << name;
      EXPECT_THAT(result.err, AllOf(HasSubstr("`" + name + "` cannot name"), HasSubstr("--name")));
      EXPECT_FALSE(std::filesystem::exists(folder_ / output));
    }
  EXPECT_THAT(embed(write("class.cu", content_of(scale())), "made.hpp").err, HasSubstr("--name"));
}

TEST_F(Embed, HeadersCompileWhateverTheFileIsCalled) {
  const std::pair<std::string, std::string> files[] = {
      {"a\"b.cu", "a_b"}, {"a\\b.cu", "a_b"}, {"b*\\.cu", "b__"},    {"ends\\.cu", "ends_"}, {"a b$c#d.cu", "a_b_c_d"},
      {"7.cu", "_7"},     {"EOF.cu", "EOF"},  {"linux.cu", "linux"}, {"\xc3\xa9.cu", "__"},  {"a?\?!.cu", "a___"}};
  for (const auto& [file, name] : files) {
    SCOPED_TRACE(file);
    const std::string kernel = write(file, content_of(scale()));
    const CommandResult result = embed(kernel, "made.hpp", {"--depfile", (folder_ / "made.d").string()});
    ASSERT_EQ(result.code, 0) << result.err;
    ASSERT_EQ(embed(kernel, "made.h").code, 0);
    EXPECT_EQ(output_with("made.hpp", "#include <cstdio>\n",
                          "\n#undef " + name + "\nprintf(\"%s\", attune_embedded::" + name + ".name.data());"),
              file);
    EXPECT_EQ(output_with("made.h", "", "printf(\"%.8s\", (const char*)attune_embedded_" + name + ");"), "attuneBN");
  }
}

TEST_F(Embed, DependsOnIncludedFrontMatter) {
  const std::string kernel = scale_with("name = \"scale\"", "name = \"scale\"\ninclude = [\"shared.toml\"]");
  const std::string shared =
      write("shared.toml", "[values]\nlimit = 512\n[restrictions]\nrules = [\"BLOCK <= limit\"]\n");
  const std::string made = (folder_ / "made.bundle").string(), rule = (folder_ / "made.d").string();
  const auto make = [&] {
    const CommandResult result = embed(kernel, "made.bundle", {"--depfile", rule});
    EXPECT_EQ(result.code, 0) << result.err;
    return content_of(made);
  };
  const std::string before = make();
  EXPECT_THAT(content_of(rule), HasSubstr(shared));
  write("shared.toml", "[values]\nlimit = 512  # threads\n[restrictions]\nrules = [\"BLOCK <= limit\"]\n");
  EXPECT_EQ(make(), before);
  write("shared.toml", "[values]\nlimit = 128\n[restrictions]\nrules = [\"BLOCK <= limit\"]\n");
  EXPECT_NE(make(), before);
  std::filesystem::remove(shared);
  EXPECT_THAT(embed(kernel, "made.bundle").err,
              AllOf(HasSubstr("cannot include `shared.toml`"), HasSubstr("put the file")));
}

TEST_F(Embed, RefusesFilesWithControlCharactersInTheirNames) {
  const std::string kernel = write("a\nb.cu", content_of(scale()));
  for (const std::string output : {"made.hpp", "made.h", "made.bundle"})
    EXPECT_THAT(embed(kernel, output).err, HasSubstr("control characters"));
  EXPECT_EQ(attune({"export", kernel, "--format", "bundle", "-o", (folder_ / "made.bundle").string()}).code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "made.bundle"));
}

TEST_F(Embed, QuotesInTheNameOfAKernelFileDoNotReachTheCompiler) {
  for (const std::string name : {"a\"b.cu", "a\\b.cu", "a\nb.cu"})
    for (const std::string device : {"host", "sm_90"}) {
      const CommandResult result =
          attune({"check", write(name, content_of(scale())), "--device", device, "--problem", "n=100"});
      EXPECT_EQ(result.code, 0) << name << device << result.out << result.err;
    }
}

}  // namespace
}  // namespace attune::test
