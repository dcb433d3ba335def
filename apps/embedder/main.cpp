// attune-embed FILE.cu: makes a bundle of a kernel file. The bundle is a constant in a C++ header (.hpp) or in a C
// header (.h), or a file of its own (any other extension). CMake's attune_embed() runs this program.
#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "apps/terminal/help_text.hpp"
#include "attune/error.hpp"
#include "base/identifier.hpp"
#include "base/visible_text.hpp"
#include "bundle/bundle_covers.hpp"
#include "bundle/bundle_records.hpp"
#include "core/record_order.hpp"
#include "files/output_file.hpp"
#include "spec/kernel_file.hpp"
#include "spec/names.hpp"
#include "spec/pack.hpp"
#include "tuned/tuned_table.hpp"
#include "tuned/tuned_text.hpp"

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

// Returns "97,116,10", because C compilers need not accept long string literals.
std::string numbers(std::span<const std::byte> bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0) text += i % numbers_per_line == 0 ? ",\n" : ",";
    text += std::to_string(std::to_integer<unsigned>(bytes[i]));
  }
  return text;
}

// Returns the name as a comment can hold it.
std::string in_comment(std::string name) {
  const auto is_odd = [](char c) { return !attune::is_word(c) && c != '.' && c != '-' && c != ' '; };
  std::ranges::replace_if(name, is_odd, '_');
  return name;
}

// A macro of the constant's name is set aside while the header is read.
std::string cpp_header(const std::string& file, const std::string& name, std::span<const std::byte> bytes) {
  return fmt::format(
      "// Generated from {0}.\n#pragma once\n#include \"attune/bundle.hpp\"\n"
      "#pragma push_macro(\"{1}\")\n#undef {1}\n"
      "namespace attune_embedded {{\ninline constexpr attune::EmbeddedBundle {1}{{{4}, "
      "{{\n{2},\n{3}}}}};\n}}\n#pragma pop_macro(\"{1}\")\n",
      in_comment(file), name, literal(bytes), bytes.size(), literal(std::as_bytes(std::span(file))));
}

std::string c_header(const std::string& file, const std::string& name, std::span<const std::byte> bytes) {
  return fmt::format(
      "/* Generated from {0}. */\n#ifndef ATTUNE_EMBEDDED_{1}_H\n#define ATTUNE_EMBEDDED_{1}_H\n"
      "#include <stddef.h>\nstatic const unsigned char attune_embedded_{1}[] = {{\n{2}}};\n"
      "static const size_t attune_embedded_{1}_size = sizeof attune_embedded_{1};\n#endif\n",
      in_comment(file), name, numbers(bytes));
}

// Returns the stem of the file, with '_' for characters that an identifier cannot have, as CMake's attune_embed() does.
std::string identifier_of(const fs::path& file) {
  std::string name = file.stem().string();
  std::ranges::replace_if(
      name, [](char c) { return !attune::is_word(c); }, '_');
  return attune::is_digit(name.front()) ? "_" + name : name;
}

void require_constant_name(const std::string& name) {
  if (attune::is_identifier(name) && !attune::is_taken_by_cpp(name)) return;
  throw attune::UsageError(fmt::format(
      "`{}` cannot name a constant of C++: give another name by --name (NAME of attune_embed() in CMake)", name));
}

std::string content_of(const fs::path& output, const std::string& file, const std::string& name,
                       std::span<const std::byte> bytes) {
  if (output.extension() == ".hpp") return cpp_header(file, name, bytes);
  if (output.extension() == ".h") return c_header(file, name, bytes);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Returns the bundle of a kernel with its records and covers of these folders. Adds to `files` what was read: the
// folders too, because a file may be added there. Throws Error for a line that is left out elsewhere.
std::vector<std::byte> bundle_with(attune::KernelPack pack, const std::vector<std::string>& folders,
                                   std::vector<fs::path>& files) {
  const auto is_of_text = [&](const attune::RecordKey& key) {
    return key.code == pack.spec.fingerprints.code && key.contract == pack.spec.fingerprints.contract;
  };
  std::vector<attune::Record> records;
  std::vector<attune::Cover> covers;
  std::size_t others = 0;
  for (const std::string& folder : folders) {
    const auto found = attune::tuned_files_in(folder);
    if (!found) throw attune::UsageError(fmt::format("there is no file or folder {}", folder));
    if (fs::is_directory(folder)) files.push_back(folder);
    for (const std::string& file : *found) {
      files.emplace_back(file);
      attune::TunedText text = attune::read_tuned_text(attune::tuned_file_text(file), file);
      if (!text.damage.empty()) throw attune::Error(text.damage.front());
      for (attune::Record& record : text.records) {
        if (is_of_text(record.key))
          records.push_back(std::move(record));
        else if (record.key.kernel == pack.spec.name)
          ++others;
      }
      for (attune::Cover& cover : text.covers)
        if (is_of_text(cover.key)) covers.push_back(std::move(cover));
    }
  }
  if (others > 0)
    std::fprintf(stderr,
                 "attune-embed: %zu records of %s are of another text of its code and are left out; tune again\n",
                 others, pack.spec.name.c_str());
  attune::BundleWriter writer;
  attune::add_kernel(writer, pack);
  attune::add_records(writer, attune::strongest_of_each_key(std::move(records), attune::Ties::to_the_first));
  attune::add_covers(writer, std::move(covers));
  return writer.finish();
}

std::string escaped(const fs::path& file) {
  std::string text;
  for (const char c : file.string()) {
    if (c == '\n') throw attune::Error("make has no rule for a file whose name has a line break; rename it");
    if (c == ' ' || c == '#' || c == '\\') text += '\\';
    if (c == '$') text += '$';
    text += c;
  }
  return text;
}

std::string make_rule(const std::string& output, const std::vector<fs::path>& files) {
  std::string rule = escaped(output) + ":";
  for (const fs::path& file : files) rule += " \\\n  " + escaped(fs::absolute(file).lexically_normal());
  return rule + "\n";
}

// Returns the files to write, opened. Throws before anything is written.
std::vector<attune::OutputFile> opened(const std::vector<std::string>& names, const std::vector<fs::path>& inputs) {
  std::vector<attune::OutputFile> outputs;
  for (const std::string& name : names) {
    fs::create_directories(fs::absolute(name).parent_path());
    const attune::OutputFile& output = outputs.emplace_back(name);
    for (const fs::path& input : inputs) output.must_not_be(input, "a file of the kernel,");
    for (std::size_t i = 0; i + 1 < outputs.size(); ++i) output.must_not_be(outputs[i]);
  }
  return outputs;
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
      "wisdom", po::value<std::vector<std::string>>()->value_name("FOLDER"),
      "with the kernel's records of this folder of tuned files, or of such a file; may be given again")(
      "depfile", text("FILE"), "lists the files that were read, for make and ninja")("help,h", "this text");
  return options;
}

constexpr std::string_view examples =
    "  attune-embed smooth.cu --output smooth.hpp      # a constant of C++\n"
    "  attune-embed smooth.cu --output smooth.bundle   # a file that programs read\n"
    "  attune-embed smooth.cu --wisdom tuned/ --output smooth.hpp\n";

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
  const std::string name = given.count("name") > 0 ? given["name"].as<std::string>() : identifier_of(file);
  require_constant_name(name);
  const auto outputs = given["output"].as<std::vector<std::string>>();
  std::vector<fs::path> files;
  attune::KernelSpec spec = attune::read_kernel_file(file, &files);
  spec.folder.clear();  // it is a folder of the machine that builds
  const std::string target =
      given.count("tune-target") > 0 ? given["tune-target"].as<std::string>() : file.filename().string();
  const auto folders =
      given.count("wisdom") > 0 ? given["wisdom"].as<std::vector<std::string>>() : std::vector<std::string>();
  const std::vector<std::byte> bytes = bundle_with(attune::make_pack(std::move(spec), target), folders, files);
  std::vector<std::string> names = outputs;
  if (given.count("depfile") > 0) names.push_back(given["depfile"].as<std::string>());
  const std::vector<attune::OutputFile> written = opened(names, files);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    written[i].write(content_of(outputs[i], file.filename().string(), name, bytes));
  if (written.size() > outputs.size()) written.back().write(make_rule(outputs.front(), files));
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  std::signal(SIGXFSZ, SIG_IGN);  // a limit of file sizes is an error with a message
  return run(argc, argv);
} catch (const std::exception& error) {
  std::fprintf(stderr, "attune-embed: %s\n", attune::message_text(error.what()).c_str());
  return 1;
}
