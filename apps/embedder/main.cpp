// attune-embed FILE.cu: a kernel file as a bundle: a constant in a C++ header (.hpp) or in a C header (.h), or a file
// of its own (any other extension). CMake's attune_embed() runs it.
#include <fmt/format.h>

#include <boost/program_options.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "attune/error.hpp"
#include "spec/kernel_file.hpp"
#include "spec/pack.hpp"
#include "terminal/help_text.hpp"

namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

constexpr std::size_t bytes_per_line = 64, numbers_per_line = 24;

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

// Returns "97,116,10": C compilers need not take long string literals.
std::string numbers(std::span<const std::byte> bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0) text += i % numbers_per_line == 0 ? ",\n" : ",";
    text += std::to_string(std::to_integer<unsigned>(bytes[i]));
  }
  return text;
}

std::string cpp_header(const std::string& file, const std::string& name, std::span<const std::byte> bytes) {
  return fmt::format(
      "// Generated from {0}.\n#pragma once\n#include \"attune/bundle.hpp\"\n"
      "namespace attune_embedded {{\ninline constexpr attune::EmbeddedBundle {1}{{\"{0}\", "
      "{{\n{2},\n{3}}}}};\n}}\n",
      file, name, literal(bytes), bytes.size());
}

std::string c_header(const std::string& file, const std::string& name, std::span<const std::byte> bytes) {
  return fmt::format(
      "/* Generated from {0}. */\n#ifndef ATTUNE_EMBEDDED_{1}_H\n#define ATTUNE_EMBEDDED_{1}_H\n"
      "#include <stddef.h>\nstatic const unsigned char attune_embedded_{1}[] = {{\n{2}}};\n"
      "static const size_t attune_embedded_{1}_size = sizeof attune_embedded_{1};\n#endif\n",
      file, name, numbers(bytes));
}

std::string content_of(const fs::path& output, const std::string& file, const std::string& name,
                       std::span<const std::byte> bytes) {
  if (output.extension() == ".hpp") return cpp_header(file, name, bytes);
  if (output.extension() == ".h") return c_header(file, name, bytes);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
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
  for (const char c : file.string())
    text += c == ' ' || c == '#' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return text;
}

constexpr std::string_view usage = "usage: attune-embed FILE.cu --output FILE [options]\n";

po::options_description shown_options() {
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  po::options_description options;
  options.add_options()(
      "output", po::value<std::vector<std::string>>()->value_name("FILE"),
      "what to write: a C++ header (.hpp), a C header (.h), or the bundle itself; may be given again")(
      "name", text("NAME"), "of the constant; the file's stem if absent")("tune-target", text("NAME"),
                                                                          "the kernel as `attune tune` names it")(
      "depfile", text("FILE"), "lists the headers that were read, for make and ninja")("help,h", "this text");
  return options;
}

constexpr std::string_view examples =
    "  attune-embed smooth.cu --output smooth.hpp      # a constant of C++\n"
    "  attune-embed smooth.cu --output smooth.bundle   # a file that programs read\n";

std::string help_text(const po::options_description& options) {
  return fmt::format(
      "attune-embed: a kernel file as a constant of a program, or as a bundle\n\n{}\noptions\n{}\nexamples\n{}", usage,
      attune::cli::options_text(options, attune::cli::output_columns()), examples);
}

int run(int argc, char** argv) {
  const po::options_description shown = shown_options();
  po::options_description options;
  options.add(shown).add_options()("file", po::value<std::string>());
  po::positional_options_description positions;
  positions.add("file", 1);
  po::variables_map given;
  po::store(po::command_line_parser(argc, argv).options(options).positional(positions).run(), given);
  if (given.count("help") > 0) {
    std::cout << help_text(shown);
    return 0;
  }
  for (const auto& [option, needed] : {std::pair("file", "the kernel file"), std::pair("output", "--output FILE")})
    if (given.count(option) == 0)
      throw attune::UsageError(fmt::format("{} is missing; {}see: attune-embed --help", needed, usage));
  const fs::path file = given["file"].as<std::string>();
  const std::string name = given.count("name") > 0 ? given["name"].as<std::string>() : file.stem().string();
  const auto outputs = given["output"].as<std::vector<std::string>>();
  attune::KernelSpec spec = attune::read_kernel_file(file);
  const auto headers = header_files(spec, file);
  spec.folder.clear();  // of the machine that builds
  const std::string target =
      given.count("tune-target") > 0 ? given["tune-target"].as<std::string>() : file.filename().string();
  const std::vector<std::byte> bytes = attune::bundle_of(attune::make_pack(std::move(spec), target));
  for (const std::string& output : outputs) write(output, content_of(output, file.filename().string(), name, bytes));
  if (given.count("depfile") > 0) {
    std::string rule = escaped(outputs.front()) + ":";
    for (const fs::path& header : headers) rule += " \\\n  " + escaped(header);
    write(given["depfile"].as<std::string>(), rule + "\n");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) try { return run(argc, argv); } catch (const std::exception& error) {
  std::fprintf(stderr, "attune-embed: %s\n", error.what());
  return 1;
}
