#include "device/host/source_files.hpp"

#include <cerrno>
#include <fstream>
#include <string_view>

#include "attune/error.hpp"
#include "base/system_failure.hpp"
#include "device/host/headers_beside.hpp"
#include "kernel/line_directive.hpp"
#include "kernel/macro_lines.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;

void write_file(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush())
    throw Error("cannot write " + path.string() + ": " + system_failure(errno) + " (TMPDIR names another place)");
}

void write_header(const fs::path& folder, const char* place, const std::string& name, const std::string& text,
                  const std::string& source) {
  const fs::path target = (folder / place / name).lexically_normal();
  if (!target.string().starts_with(folder.string() + "/"))
    throw Error("#include \"" + name + "\" of " + source +
                " leads too far up for the host device; move the header nearer");
  if (!fs::exists(target)) write_file(target, text);  // "x.h" and "./x.h" are one file: the first has the macros
}

}  // namespace

void write_sources(const fs::path& folder, const ImageRequest& request,
                   const std::map<std::string, std::size_t>& entries, const std::string& checks, HostVariant variant) {
  const SourceText source = with_macros(request.source, request.macros);
  for (const EmbeddedHeader& header : headers_beside())
    write_file(folder / own_place / header.name, line_directive(header.name) + std::string(header.text));
  for (const Header& header : source.headers)
    for (const char* const place : {source_place, after_place})
      write_header(folder, place, header.name, line_directive(header.name) + rewrite_for_host(header.text, variant),
                   source.name);
  write_file(folder / source_place / "kernel.cpp", translation_unit(source, request.options, entries, checks, variant));
}

}  // namespace attune
