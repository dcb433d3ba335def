// attune new: a kernel file to start from, for a CUDA file.
#include <fmt/format.h>

#include <filesystem>
#include <iostream>

#include "attune/error.hpp"
#include "base/counted.hpp"
#include "base/regular_file.hpp"
#include "base/shell_word.hpp"
#include "draft/draft.hpp"
#include "files/output_file.hpp"
#include "options.hpp"
#include "put_text.hpp"
#include "text.hpp"

namespace attune::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_source_bytes = std::uint64_t{4} << 20;  // of a header of a kernel file

// Returns the file to write; "" for standard output.
fs::path target(const Options& options, const fs::path& source) {
  const std::optional<std::string> given = options.text("output");
  if (given == "-") return "";
  fs::path file = given ? fs::path(*given) : fs::path(source).replace_extension(".attune.cu");
  if (fs::exists(fs::symlink_status(file)) && !fs::is_directory(file))
    throw UsageError(
        fmt::format("{} exists already and is left as it is; name another file: -o FILE.cu", file.string()));
  return file;
}

// Returns how a file in the target's folder includes the source.
std::string include_of(const fs::path& source, const fs::path& target) {
  const fs::path folder = fs::weakly_canonical(target.empty() ? fs::path(".") : fs::absolute(target).parent_path());
  return (fs::weakly_canonical(source.parent_path().empty() ? "." : source.parent_path()) / source.filename())
      .lexically_relative(folder)
      .generic_string();
}

void show_written(const fs::path& file, const draft::CudaFile& read, const draft::KernelFunction& kernel,
                  const std::string& text) {
  put_text("{}\n", in_lines(fmt::format("wrote {} for the kernel {}", file.string(), kernel.name), 0));
  std::string others;
  for (const draft::KernelFunction& other : read.kernels)
    if (other.name != kernel.name) others += (others.empty() ? "" : ", ") + other.name;
  if (!others.empty()) put_text("{}", note_line("the file has other kernels, for --kernel: " + others));
  const std::vector<draft::Mark> marks = draft::marks_in(text);
  put_text("{}\n", in_lines(counted(marks.size(), "line") + " to look at" + (marks.empty() ? "" : ":"), 0));
  for (const draft::Mark& mark : marks) {
    const std::string place = fmt::format("  line {:<4}", mark.line);
    put_text("{}{}\n", place, in_lines(mark.text, place.size()));
  }
  // The host device cannot run it where there is host code.
  put_text("next: attune check {}{}\n", shell_word(file.string()),
           read.has_host_code ? "\n      (without a GPU: --device sm_90)" : "");
}

}  // namespace

int run_new(const Arguments& arguments) {
  Options options(
      "attune new FILE.cu [options]",
      "  attune new blur.cu                    # writes blur.attune.cu, for the kernel that is launched first\n"
      "  attune new blur.cu --kernel blur_rows -o rows.cu\n"
      "  attune new blur.cu -o -               # prints it\n",
      {"file"});
  options.add()("kernel,k", named_value("NAME"), "the kernel, if the file has several")(
      "output,o", named_value("FILE"),
      "write this file instead of NAME.attune.cu beside the CUDA file; - prints. A file that exists is never replaced");
  if (options.parse(arguments)) return exit_done;
  const fs::path source = options.required("file");
  const auto [content, why] = read_regular_file(source, most_source_bytes);
  if (!why.empty()) throw Error(fmt::format("cannot read {}: {}", source.string(), why));
  if (content.find("/*attune\n") != std::string::npos)
    throw UsageError(fmt::format("{} has front matter already (try: attune check {})", source.string(),
                                 shell_word(source.string())));
  const fs::path file = target(options, source);
  const draft::CudaFile read = draft::read_cuda_file(content);
  const draft::KernelFunction& kernel = draft::chosen_kernel(read, options.text("kernel"), source.string());
  const std::string text = draft::drafted(read, kernel, include_of(source, file));
  if (file.empty()) {
    std::cout << text;
    return exit_done;
  }
  OutputFile(file.string()).write(text);
  show_written(file, read, kernel, text);
  return exit_done;
}

}  // namespace attune::cli
