// attune-embed FILE.cu: a kernel file as a C++ header with a bundle of it. CMake's attune_embed() runs it.
#include <fmt/format.h>

#include <boost/program_options.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <string>

#include "attune/error.hpp"
#include "spec/kernel_file.hpp"
#include "spec/pack.hpp"

namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

constexpr std::size_t bytes_per_line = 64;

// Returns a string literal of any bytes. Octal escapes of three digits end by themselves.
std::string literal(std::span<const std::byte> bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i % bytes_per_line == 0) text += i == 0 ? "\"" : "\"\n\"";
    const auto byte = std::to_integer<unsigned char>(bytes[i]);
    const bool is_plain = byte >= ' ' && byte < 127 && byte != '"' && byte != '\\' && byte != '?';
    text += is_plain ? std::string(1, static_cast<char>(byte)) : fmt::format("\\{:03o}", byte);
  }
  return text + "\"";
}

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(fs::absolute(file).parent_path());
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw attune::Error(fmt::format("cannot write {}", file.string()));
}

// Returns the files that the kernel's headers may be: beside it, and beside each other.
std::set<fs::path> header_files(const attune::KernelSpec& spec, const fs::path& kernel) {
  const fs::path folder = fs::absolute(kernel).parent_path();
  std::set<fs::path> folders{folder}, files;
  for (const attune::Header& header : spec.source.headers)
    folders.insert((folder / header.name).parent_path().lexically_normal());
  for (const attune::Header& header : spec.source.headers)
    for (const fs::path& place : folders)
      if (const fs::path file = (place / header.name).lexically_normal(); fs::exists(file)) files.insert(file);
  return files;
}

std::string escaped(const fs::path& file) {
  std::string text;
  for (const char c : file.string()) text += c == ' ' || c == '#' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return text;
}

int run(int argc, char** argv) {
  po::options_description options("attune-embed FILE.cu --name NAME --output FILE.hpp [--tune-target NAME] [--depfile FILE]");
  options.add_options()("file", po::value<std::string>(), "the kernel file")(
      "name", po::value<std::string>(), "of the constant")("output", po::value<std::string>(), "the header to write")(
      "tune-target", po::value<std::string>(), "the kernel as `attune tune` names it")(
      "depfile", po::value<std::string>(), "lists the headers that were read, for make and ninja");
  po::positional_options_description positions;
  positions.add("file", 1);
  po::variables_map given;
  po::store(po::command_line_parser(argc, argv).options(options).positional(positions).run(), given);
  for (const char* const needed : {"file", "name", "output"})
    if (given.count(needed) == 0) throw attune::UsageError(fmt::format("{} is missing\n{}", needed, [&] {
        std::ostringstream text;
        text << options;
        return text.str();
      }()));
  const fs::path file = given["file"].as<std::string>();
  const std::string name = given["name"].as<std::string>(), output = given["output"].as<std::string>();
  attune::KernelSpec spec = attune::read_kernel_file(file);
  const auto headers = header_files(spec, file);
  spec.folder.clear();  // of the machine that builds
  const std::string target =
      given.count("tune-target") > 0 ? given["tune-target"].as<std::string>() : file.filename().string();
  const std::vector<std::byte> bytes = attune::bundle_of(attune::make_pack(std::move(spec), target));
  write(output, fmt::format("// Generated from {0}.\n#pragma once\n#include \"attune/bundle.hpp\"\n"
                            "namespace attune_embedded {{\ninline constexpr attune::EmbeddedBundle {1}{{\"{0}\", "
                            "{{\n{2},\n{3}}}}};\n}}\n",
                            file.filename().string(), name, literal(bytes), bytes.size()));
  if (given.count("depfile") > 0) {
    std::string rule = escaped(output) + ":";
    for (const fs::path& header : headers) rule += " \\\n  " + escaped(header);
    write(given["depfile"].as<std::string>(), rule + "\n");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  return run(argc, argv);
} catch (const std::exception& error) {
  std::fprintf(stderr, "attune-embed: %s\n", error.what());
  return 1;
}
