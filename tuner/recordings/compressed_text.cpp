#include "recordings/compressed_text.hpp"

#include <fmt/format.h>
#include <lzma.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <string_view>

#include "attune/error.hpp"

namespace attune {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 18;
constexpr std::string_view xz_magic(
    "\xFD"
    "7zXZ\0",
    6);
constexpr std::string_view gzip_magic("\x1F\x8B");
constexpr std::uint64_t lzma_memory_bytes = std::uint64_t{1} << 30;  // `xz -9` needs 65 MiB

UsageError cannot_read(const std::filesystem::path& file, std::string_view why) {
  return UsageError(fmt::format("cannot read {}: {}", file.string(), why));
}

// Collects text up to a size limit.
struct BoundedText {
  const std::filesystem::path& file;
  std::size_t most;
  bool is_compressed;
  std::string bytes;

  void append(const char* data, std::size_t count) {
    if (count > most - bytes.size()) {
      throw cannot_read(file,
                        fmt::format("it has more than {} bytes of text, the most that are read of one {}", most,
                                    is_compressed ? "compressed file; if that is right, decompress it first" : "file"));
    }
    bytes.append(data, count);
  }
};

struct LzmaEnd {
  void operator()(lzma_stream* stream) const { lzma_end(stream); }
};

// Reads consecutive .xz streams.
class XzReader {
 public:
  XzReader(std::istream& input, BoundedText& text) : input_(input), text_(text) {}

  void read() {
    do {
      read_stream();
      skip_padding();
    } while (at_magic());
    if (stream_.avail_in > 0) throw cannot_read(text_.file, "other data follows its .xz compression; copy it again");
  }

 private:
  bool fill() {
    if (stream_.avail_in == 0 && input_) {
      input_.read(from_.data(), static_cast<std::streamsize>(from_.size()));
      stream_.next_in = reinterpret_cast<const std::uint8_t*>(from_.data());
      stream_.avail_in = static_cast<std::size_t>(input_.gcount());
    }
    return stream_.avail_in > 0;
  }

  void read_stream() {
    if (lzma_stream_decoder(&stream_, lzma_memory_bytes, 0) != LZMA_OK)
      throw Error("no memory for decompressing .xz files");
    lzma_ret result = LZMA_OK;
    while (result == LZMA_OK) {
      fill();
      stream_.next_out = reinterpret_cast<std::uint8_t*>(to_.data());
      stream_.avail_out = to_.size();
      result = lzma_code(&stream_, input_ ? LZMA_RUN : LZMA_FINISH);
      text_.append(to_.data(), to_.size() - stream_.avail_out);
    }
    if (result == LZMA_BUF_ERROR)
      throw cannot_read(text_.file, "it is cut off inside its .xz compression; copy it again");
    if (result == LZMA_MEMLIMIT_ERROR)
      throw cannot_read(text_.file, "decompressing it takes more than 1 GiB of memory; decompress it first");
    if (result != LZMA_STREAM_END) throw cannot_read(text_.file, "its .xz compression is damaged; copy it again");
  }

  void skip_padding() {
    while (fill() && *stream_.next_in == 0) {
      ++stream_.next_in;
      --stream_.avail_in;
    }
  }

  // Returns whether the next byte begins another stream: no text begins with this byte.
  bool at_magic() const { return stream_.avail_in > 0 && *stream_.next_in == static_cast<std::uint8_t>(xz_magic[0]); }

  std::istream& input_;
  BoundedText& text_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  const std::unique_ptr<lzma_stream, LzmaEnd> end_{&stream_};
  std::string from_ = std::string(chunk_bytes, '\0'), to_ = std::string(chunk_bytes, '\0');
};

struct GzipClose {
  void operator()(gzFile_s* file) const { gzclose_r(file); }
};

// Reads gzip or plain text: zlib reads plain files as they are.
void read_gzip_or_plain(BoundedText& text) {
  const std::unique_ptr<gzFile_s, GzipClose> input(gzopen(text.file.c_str(), "rb"));
  if (!input) throw cannot_read(text.file, "may this user read it?");
  std::string chunk(chunk_bytes, '\0');
  int count = 0;
  while ((count = gzread(input.get(), chunk.data(), static_cast<unsigned>(chunk.size()))) > 0) {
    text.append(chunk.data(), static_cast<std::size_t>(count));
  }
  int problem = Z_OK;
  gzerror(input.get(), &problem);
  if (problem == Z_BUF_ERROR) {
    throw cannot_read(text.file, "it is cut off inside its .gz compression; copy it again");
  }
  if (count < 0 || problem != Z_OK) throw cannot_read(text.file, "its .gz compression is damaged; copy it again");
}

}  // namespace

void check_regular_file(const std::filesystem::path& file) {
  if (file.empty()) throw UsageError("the name of a file is empty; name the file to read");
  std::error_code error;
  if (!std::filesystem::exists(file, error)) throw cannot_read(file, "there is no such file");
  if (!std::filesystem::is_regular_file(file, error)) throw cannot_read(file, "it is no regular file");
}

std::string read_text(const std::filesystem::path& file, TextLimits limits) {
  check_regular_file(file);
  std::error_code error;
  // Checks the size before reading, because a sparse file may claim any size.
  const auto size = std::filesystem::file_size(file, error);
  if (error || size > limits.plain) throw cannot_read(file, fmt::format("it has more than {} bytes", limits.plain));
  std::ifstream input(file, std::ios::binary);
  std::array<char, 6> magic{};
  input.read(magic.data(), magic.size());
  if (input.bad() || !input.is_open()) throw cannot_read(file, "may this user read it?");
  const std::string_view first(magic.data(), magic.size());
  const bool is_compressed = first == xz_magic || first.starts_with(gzip_magic);
  BoundedText text{file, limits.plain, is_compressed, {}};
  if (is_compressed)
    text.most = std::min(limits.plain, std::max<std::size_t>(limits.decompressed, limits.most_ratio * size));
  if (first == xz_magic) {
    input.clear();
    input.seekg(0);
    XzReader(input, text).read();
  } else {
    read_gzip_or_plain(text);
  }
  return std::move(text.bytes);
}

}  // namespace attune
