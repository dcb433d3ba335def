#include "device/cuda/nvrtc_pch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <system_error>

#include "attune/error.hpp"
#include "base/digest.hpp"
#include "core/include_scan.hpp"
#include "device/cuda/toolkit_headers.hpp"
#include "kernel/macro_lines.hpp"

namespace attune::cuda {
namespace {

namespace fs = std::filesystem;

// These headers take as long precompiled as parsed: 0.10 s against 0.09 s for a small kernel with cuda_fp16.h.
constexpr std::string_view light_headers[] = {"cuda_fp16.h", "cuda_bf16.h"};
// Times for headers of templates, precompiled and parsed: 20 KB take 0.05 s and 0.06 s, 200 KB 0.08 s and 0.11 s, 1 MB
// 0.14 s and 0.45 s.
constexpr std::size_t heavy_header_bytes = 200'000;
// A file has 85 to 180 MB with CUB, and every compiling process writes its own.
constexpr std::uintmax_t least_free_bytes = std::uintmax_t{1} << 30;
// NVRTC starts with 256 MiB; CUB's block_reduce.cuh takes 176 MB.
constexpr std::size_t greatest_heap_bytes = std::size_t{2} << 30;
constexpr int greatest_growths = 4;
// Without it NVRTC would take the macros for a part of the headers, and make a file for each configuration.
constexpr std::string_view end_of_headers = "#pragma nv_hdrstop\n";

std::string digest_of(const SourceText& source) {
  Digest digest;
  digest.add(source.name).add(source.text);
  for (const Header& header : source.headers) digest.add(header.name).add(header.text);
  return digest.hex();
}

std::string digest_of(const std::vector<std::string>& options) {
  Digest digest;
  for (const std::string& option : options) digest.add(option);
  return digest.hex();
}

// Removes the lines that name the folder. Returns true when one of them reports that a file was used.
bool strip_messages(std::string& log, const std::string& folder) {
  std::istringstream lines(log);
  std::string kept;
  bool used = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.find(folder) == std::string::npos) {
      kept += line + '\n';
    } else {
      used = used || line.find("using precompiled header") != std::string::npos;
    }
  }
  log = std::move(kept);
  return used;
}

}  // namespace

bool has_heavy_headers(const SourceText& source) {
  std::size_t bytes = 0;
  for (const Header& header : source.headers) bytes += header.text.size();
  if (bytes >= heavy_header_bytes) return true;
  const auto names = outside_includes(source);
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    const bool is_light = std::ranges::find(light_headers, name) != std::end(light_headers);
    return !is_light && !names_header_of_attune(name);  // attune's own texts are small
  });
}

PrecompiledHeaders::PrecompiledHeaders(const NvrtcLibrary& library, fs::path parent)
    : library_(library), parent_(std::move(parent)) {}

std::optional<PrecompiledHeaders::PchUse> PrecompiledHeaders::begin(const SourceText& headers,
                                                                    const std::vector<std::string>& options) {
  if (!library_.api.has_pch() || !has_heavy_headers(headers)) return std::nullopt;
  const Key key{digest_of(headers), digest_of(options)};
  std::unique_lock lock(mutex_);
  if (!wanted(key)) return std::nullopt;
  if (current_ != key && !make_room(key)) return std::nullopt;
  std::vector<std::string> added{
      "-pch", fmt::format("-pch-dir={}", (folder_->path() / std::to_string(generation_)).string()),
      // Keeps warnings out of the user's log: options differ from a file's, the heap is too small, a #line follows.
      "-diag-suppress=629,639,20283"};
  return PchUse(*this, std::move(lock), std::move(added));
}

// If options differ between configurations, each would need a file, which is slower than no precompiled headers.
// Alternating sources do not remove each other's file.
bool PrecompiledHeaders::wanted(const Key& key) {
  const bool again = last_ == key;
  last_ = key;
  const auto [first, is_new] = seen_.try_emplace(key.source, key.options);
  if (!is_new && first->second != key.options && hopeless_.insert(key.source).second) {
    if (current_ && current_->source == key.source) drop_current();
  }
  if (hopeless_.count(key.source) != 0) return false;
  return again || current_ == key || !current_;
}

// Keeps one file at a time: removes that of the source before.
bool PrecompiledHeaders::make_room(const Key& key) {
  std::error_code error;
  if (fs::space(parent_, error).available < least_free_bytes || error) return false;
  try {
    if (folder_ && !fs::exists(folder_->path(), error)) folder_.reset();  // removed from outside
    if (!folder_) folder_.emplace(parent_);
  } catch (const Error&) {
    return false;
  }
  fs::remove_all(folder_->path() / std::to_string(generation_), error);
  if (!fs::create_directory(folder_->path() / std::to_string(++generation_), error)) return false;
  current_ = key;
  return true;
}

void PrecompiledHeaders::drop_current() {
  std::error_code ignored;
  fs::remove_all(folder_->path() / std::to_string(generation_), ignored);
  current_.reset();
}

void PrecompiledHeaders::give_up() {
  ++counts_.given_up;
  hopeless_.insert(current_->source);
  drop_current();
}

// Enlarges the heap; the next compile makes the file.
void PrecompiledHeaders::grow_heap(NvrtcProgram program) {
  std::size_t required = 0;
  const bool known = library_.api.pch_heap_required(program, &required) == nvrtc_success;
  if (!known || required > greatest_heap_bytes || counts_.grown == greatest_growths ||
      library_.api.set_pch_heap(required + required / 4) != nvrtc_success) {
    return give_up();
  }
  ++counts_.grown;
}

void PrecompiledHeaders::PchUse::finish(NvrtcProgram program, NvrtcResult result, std::string& log,
                                        std::string& opened) {
  if (strip_messages(log, owner_->folder_->path().string())) {
    ++owner_->counts_.used;
    if (!opened.empty()) opened += owner_->opened_;
    return;
  }
  switch (owner_->library_.api.pch_status(program)) {
    case nvrtc_success:
      ++owner_->counts_.created;
      owner_->opened_ = opened;
      return;
    case nvrtc_pch_heap_exhausted:
      return owner_->grow_heap(program);
    // After an error in the source there is no file either; the next compile may make it.
    default:
      if (result == nvrtc_success) owner_->give_up();
  }
}

void PrecompiledHeaders::PchUse::blame() {
  if (owner_->current_) owner_->give_up();
}

PchCounts PrecompiledHeaders::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

fs::path PrecompiledHeaders::folder() const {
  const std::lock_guard lock(mutex_);
  return folder_ ? folder_->path() : fs::path();
}

namespace {

// What is compiled, and the part of its source that is precompiled.
struct SplitSource {
  ImageRequest request;
  SourceText headers;
};

// Returns a request whose headers end where its macros begin. These may change a header that the leading includes
// reach, which is then another for each configuration.
SplitSource stopped_before_macros(const ImageRequest& request) {
  SplitSource stopped{request, {}};
  stopped.request.source = with_macros(request.source, request.macros, end_of_headers);
  stopped.request.macros.clear();
  stopped.headers = stopped.request.source;
  stopped.headers.text = request.source.text.substr(0, leading_includes(request.source.text, request.source));
  return stopped;
}

CompiledProgram compile_with_headers(const NvrtcLibrary& library, const ImageRequest& request,
                                     const ImageRequest& stopped, const SourceText& headers,
                                     const std::vector<std::string>& options) {
  auto use = precompiled_headers().begin(headers, options);
  if (!use) return compile_program(library, request, options);
  std::vector<std::string> more = options;
  more.insert(more.end(), use->options().begin(), use->options().end());
  CompiledProgram compiled = compile_program(library, stopped, more);
  use->finish(compiled.program.get(), compiled.result, compiled.log, compiled.opened);
  if (compiled.result == nvrtc_success) return compiled;
  compiled = compile_program(library, request, options);
  if (compiled.result == nvrtc_success) use->blame();
  return compiled;
}

}  // namespace

CompiledProgram compile_precompiled(const NvrtcLibrary& library, const ImageRequest& request,
                                    const std::vector<std::string>& options) {
  if (request.macros.empty()) return compile_with_headers(library, request, request, request.source, options);
  const SplitSource stopped = stopped_before_macros(request);
  if (stopped.headers.text.empty()) return compile_program(library, request, options);
  return compile_with_headers(library, request, stopped.request, stopped.headers, options);
}

PrecompiledHeaders& precompiled_headers() {
  std::error_code error;
  static PrecompiledHeaders headers(nvrtc(), fs::temp_directory_path(error));
  return headers;
}

namespace {

[[maybe_unused]] const bool is_known = (set_precompiling(compile_precompiled), true);

}  // namespace
}  // namespace attune::cuda

// What the linker is asked for, so that it takes this object.
extern "C" const int attune_precompiling_is_linked;
const int attune_precompiling_is_linked = 1;
