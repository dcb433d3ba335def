#include "db/compressed_text.hpp"

#include <fmt/format.h>
#include <lzma.h>
#include <zlib.h>

#include <array>
#include <fstream>
#include <memory>
#include <string_view>

#include "attune/error.hpp"

namespace attune {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 18;
constexpr std::uint64_t lzma_memory_bytes = std::uint64_t{1} << 30;  // what `xz -9` needs is 65 MiB

UsageError cannot_read(const std::filesystem::path& file, std::string_view why) {
  return UsageError(fmt::format("cannot read {}: {}", file.string(), why));
}

// Text that grows up to a limit.
struct Text {
  const std::filesystem::path& file;
  std::size_t most;
  std::string bytes;

  void append(const char* data, std::size_t count) {
    if (count > most - bytes.size()) {
      throw cannot_read(file,
                        fmt::format("it has more than {} bytes of text, the most that are read of one file", most));
    }
    bytes.append(data, count);
  }
};

struct LzmaEnd {
  void operator()(lzma_stream* stream) const { lzma_end(stream); }
};

void read_xz(std::istream& input, Text& text) {
  lzma_stream stream = LZMA_STREAM_INIT;
  const std::unique_ptr<lzma_stream, LzmaEnd> end(&stream);
  if (lzma_stream_decoder(&stream, lzma_memory_bytes, LZMA_CONCATENATED) != LZMA_OK) {
    throw Error("no memory for decompressing .xz files");
  }
  std::string from(chunk_bytes, '\0'), to(chunk_bytes, '\0');
  lzma_ret result = LZMA_OK;
  while (result == LZMA_OK) {
    if (stream.avail_in == 0 && input) {
      input.read(from.data(), static_cast<std::streamsize>(from.size()));
      stream.next_in = reinterpret_cast<const std::uint8_t*>(from.data());
      stream.avail_in = static_cast<std::size_t>(input.gcount());
    }
    stream.next_out = reinterpret_cast<std::uint8_t*>(to.data());
    stream.avail_out = to.size();
    result = lzma_code(&stream, input ? LZMA_RUN : LZMA_FINISH);
    text.append(to.data(), to.size() - stream.avail_out);
  }
  if (result == LZMA_BUF_ERROR) throw cannot_read(text.file, "it is cut off inside its .xz compression; copy it again");
  if (result == LZMA_MEMLIMIT_ERROR) throw cannot_read(text.file, "decompressing it takes more than 1 GiB of memory");
  if (result != LZMA_STREAM_END) throw cannot_read(text.file, "its .xz compression is damaged; copy it again");
}

struct GzipClose {
  void operator()(gzFile_s* file) const { gzclose_r(file); }
};

// zlib reads plain files as they are.
void read_gzip_or_plain(Text& text) {
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

std::string read_text(const std::filesystem::path& file, std::size_t most) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) throw cannot_read(file, "there is no such file");
  if (!std::filesystem::is_regular_file(file, error)) throw cannot_read(file, "it is no regular file");
  // Before reading: a sparse file may claim any size.
  if (const auto size = std::filesystem::file_size(file, error); error || size > most) {
    throw cannot_read(file, fmt::format("it has more than {} bytes", most));
  }
  std::ifstream input(file, std::ios::binary);
  std::array<char, 6> magic{};
  input.read(magic.data(), magic.size());
  if (input.bad() || !input.is_open()) throw cannot_read(file, "may this user read it?");
  Text text{file, most, {}};
  if (std::string_view(magic.data(), magic.size()) == std::string_view("\xFD"
                                                                       "7zXZ\0",
                                                                       6)) {
    input.clear();
    input.seekg(0);
    read_xz(input, text);
  } else {
    read_gzip_or_plain(text);
  }
  return std::move(text.bytes);
}

}  // namespace attune
