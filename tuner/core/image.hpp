// Image: compiled code with the symbols of its entries and their resources. ImageRequest: what to compile, and the key
// under which the result is cached. Plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attune/source_text.hpp"
#include "core/verdict.hpp"

namespace attune {

struct ResourceUsage {
  int registers = 0;                // per thread
  std::uint64_t shared_static = 0;  // bytes per block
  std::uint64_t local_bytes = 0;    // stack frame per thread
  std::uint64_t spill_bytes = 0;    // spill stores and loads per thread
  std::uint64_t constant_bytes = 0;
  friend bool operator==(const ResourceUsage&, const ResourceUsage&) = default;
};

struct ImageFunction {
  std::string expression;  // as requested: "transpose<float, 32, 8, 1, 1, Order::rows>"
  std::string symbol;      // lowered name in the code
  ResourceUsage usage;
};

// A file that the compiler opened or looked for in vain, and whose text is not part of any key.
struct ImageFile {
  std::string path;    // as the compiler named it
  std::string sha256;  // of its bytes when it was compiled, 64 hexadecimal digits; "": there was no such file
  bool is_absent() const noexcept { return sha256.empty(); }
  friend bool operator==(const ImageFile&, const ImageFile&) = default;
};
// The most files that an image lists; if there are more, Image::knows_files is false.
constexpr std::size_t max_image_files = 16384;

struct Image {
  std::string architecture;  // "sm_90", "compute_90" for PTX, or "host-" + compiler triple
  std::string toolchain;     // "NVRTC 13.0", "g++ 12.2.0": for information, not part of the key
  std::vector<ImageFunction> functions;
  std::shared_ptr<const std::vector<std::byte>> code;  // shared by images of one compilation
  std::vector<ImageFile> files;  // each path once; the code is valid as long as they are unchanged
  bool knows_files = true;       // false: not all are listed: too many, too large, or named by a macro
  // Returns whether the code is PTX, for a device newer than its compiler.
  bool is_ptx() const noexcept { return architecture.starts_with("compute_"); }
  const ImageFunction* find(std::string_view expression) const noexcept;
  // Returns, for each resource, the most that any entry needs.
  ResourceUsage largest_usage() const noexcept;
};

// A macro of a source. The source gets it as a line of its own: see kernel/macro_lines.hpp.
struct Macro {
  std::string name, value;
  friend bool operator==(const Macro&, const Macro&) = default;
};

struct ImageRequest {
  SourceText source;
  std::vector<Macro> macros = {};         // each name once
  std::vector<std::string> expressions;   // entries to instantiate, "&name" of variables; sorted, each once
  std::vector<std::string> options;       // resolved, in order
  std::string checks;                     // static_asserts after the source: see kernel/argument_checks.hpp
  std::vector<std::string> waiting = {};  // the entries that must wait for the preceding launch (overlap), sorted
  std::string architecture;
  bool ignores_host_code = false;  // the source has a main() and the like, of which nothing is compiled; CUDA only
  // Returns the hexadecimal SHA-256 over all members except source.name, and over `additions`: what the compiler adds
  // by itself. The order of macro definitions with different names does not matter. Callers use image_key()
  // (device/image_key.hpp).
  std::string key(std::string_view additions) const;
};

// The result of compiling. A failed compile is a value too, with the compiler's log and the verdict compile_error,
// resources, compile_crash, compile_timeout or, beyond the user's limit, out_of_memory.
struct CompileOutcome {
  Verdict verdict = Verdict::ok;
  std::string log;             // verbatim; warnings too
  std::optional<Image> image;  // set if and only if verdict == ok
  double milliseconds = 0;
};

// Return the bytes of an image on disk, and the image of such bytes (docs/formats/image.md). deserialise() returns
// nothing for bytes that are damaged, truncated or of another version, and never reads past the end.
std::vector<std::byte> serialise(const Image& image);
std::optional<Image> deserialise(std::span<const std::byte> bytes);
// The same for the payload alone, without the digest, for transfers within one machine. Leaving the digest out saves
// 0.1 ms for 40 KB, at each end.
std::vector<std::byte> image_payload(const Image& image);
std::optional<Image> image_of_payload(std::span<const std::byte> payload);

}  // namespace attune
