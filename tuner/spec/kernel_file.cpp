#include "spec/kernel_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/near_name.hpp"
#include "base/regular_file.hpp"
#include "kernel/header_files.hpp"
#include "kernel/include_option.hpp"
#include "spec/document.hpp"
#include "spec/includes.hpp"
#include "spec/sections.hpp"
#include "spec/shortened.hpp"
#include "spec/validate.hpp"

namespace attune {
namespace {

struct SectionReader {
  std::string_view name;   // the key
  std::string_view shown;  // as written in the file
  bool needed;
  void (*read)(const Document&, const TomlNode&, KernelSpec&);
};

// In the order in which sections are read, and in which missing ones are reported.
constexpr SectionReader section_readers[] = {
    {"kernel", "[kernel]", true, read_kernel},
    {"problem", "[problem]", true,
     [](const Document& d, const TomlNode& node, KernelSpec& spec) { spec.problem = read_problem(d, node); }},
    {"parameters", "[parameters]", true,
     [](const Document& d, const TomlNode& node, KernelSpec& spec) { spec.parameters = read_parameters(d, node); }},
    {"restrictions", "[restrictions]", false,
     [](const Document& d, const TomlNode& node, KernelSpec& spec) { spec.rules = read_restrictions(d, node); }},
    {"launch", "[[launch]]", true,
     [](const Document& d, const TomlNode& node, KernelSpec& spec) {
       spec.launch = read_steps(d, node, "[[launch]]");
     }},
    {"verify", "[[verify]]", false,
     [](const Document& d, const TomlNode& node, KernelSpec& spec) {
       spec.verify = read_steps(d, node, "[[verify]]");
     }},
    {"arguments", "[arguments]", true,
     [](const Document& d, const TomlNode& node, KernelSpec& spec) { spec.arguments = read_arguments(d, node); }},
    {"prepare", "[[prepare]]", false,
     [](const Document& d, const TomlNode& node, KernelSpec& spec) {
       spec.prepare = read_steps(d, node, "[[prepare]]");
     }},
    {"reference", "[[reference]]", false,
     [](const Document& d, const TomlNode& node, KernelSpec& spec) {
       spec.reference = read_steps(d, node, "[[reference]]");
     }},
    {"check", "[check]", false, read_check},
    {"metrics", "[metrics]", false,
     [](const Document& d, const TomlNode& node, KernelSpec& spec) { spec.metrics = read_metrics(d, node); }},
    {"ladder", "[[ladder]]", false,
     [](const Document& d, const TomlNode& node, KernelSpec& spec) { spec.ladders = read_ladders(d, node); }},
    {"compile", "[compile]", false,
     [](const Document& d, const TomlNode& node, KernelSpec& spec) { spec.compile = read_compile(d, node); }},
};

void refuse_unknown_sections(const Document& document) {
  std::vector<std::string> known{"values"};
  for (const auto& section : section_readers) known.emplace_back(section.name);
  for (const auto& member : document.root().children) {
    if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
    const bool is_section = member.kind == TomlNode::Kind::table || member.kind == TomlNode::Kind::array;
    document.fail(member.key_at, fmt::format("unknown {} `{}`{}", is_section ? "section" : "key outside all sections",
                                             shortened(member.key), suggestion(member.key, known)));
  }
}

void read_sections(Document& document, KernelSpec& spec) {
  refuse_unknown_sections(document);
  if (const auto* node = document.root().find("values")) read_values(document, *node);
  for (const auto& section : section_readers) {
    if (const auto* node = document.root().find(section.name)) {
      section.read(document, *node, spec);
    } else if (section.needed) {
      const auto& toml = document.front_matter().toml;
      document.fail(position_at(toml, toml.size()), fmt::format("the front matter ends without the section {}{}",
                                                                section.shown, document.closing_hint()));
    }
  }
}

// No real source is larger; Document refuses larger texts too.
constexpr std::uintmax_t largest_file = 4 << 20;

std::string read_text(const std::filesystem::path& file) {
  FileText read = read_regular_file(file, largest_file);
  if (!read.why.empty()) throw Error(fmt::format("cannot read the kernel file {}: {}", file.string(), read.why));
  return std::move(read.text);
}

// Returns the folders of those -I options that depend on no parameter.
std::vector<std::filesystem::path> include_folders(const KernelSpec& spec) {
  std::vector<std::filesystem::path> folders;
  for (const std::string& option : spec.compile.options) {
    const std::string placed = placed_include(option, spec.folder);
    const std::optional<std::string_view> folder = include_folder(placed);
    if (folder && folder->find('{') == std::string_view::npos && option.find(" if ") == std::string::npos)
      folders.emplace_back(*folder);
  }
  return folders;
}

// Appends the files that compiling it opens in the folders of -I options.
void add_files(const KernelSpec& spec, const HeaderPlaces& places, std::vector<std::filesystem::path>& files) {
  HeaderSearch search;
  for (const std::filesystem::path& folder : places.folders) search.folders.push_back(folder.string());
  search.given = {{spec.source.name, spec.source.text}};
  for (const Header& header : spec.source.headers) search.given.push_back({header.name, header.text});
  for (const ImageFile& file : header_files(search).files)
    if (!file.sha256.empty()) files.emplace_back(file.path);
}

KernelSpec read_kernel(std::string_view text, const std::string& file_name, HeaderPlaces places,
                       std::vector<std::filesystem::path>* files = nullptr) {
  Document document(text, file_name, [&](const std::string& name) { return read_included(name, places, files); });
  KernelSpec spec;
  spec.source = {file_name, document.front_matter().code, {}};
  read_sections(document, spec);
  refuse_misused_values(document, spec);
  try {
    validate(spec);
  } catch (const Fault& fault) {
    document.fail(fault);
  }
  if (!places.directory.empty()) spec.folder = std::filesystem::absolute(places.directory).lexically_normal().string();
  places.folders = include_folders(spec);
  spec.source.headers = read_headers(spec.source.text, file_name, places, files);
  if (files != nullptr) add_files(spec, places, *files);
  spec.fingerprints = fingerprints_of(spec);
  return spec;
}

}  // namespace

KernelSpec read_kernel_text(std::string_view text, const std::string& file_name) {
  return read_kernel(text, file_name, {});
}

KernelSpec read_embedded_kernel(const EmbeddedFile& file) {
  return read_kernel(file.text, std::string(file.file_name), {file.headers, {}, {}});
}

KernelSpec read_kernel_file(const std::filesystem::path& file, std::vector<std::filesystem::path>* files) {
  const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  auto spec = read_kernel(read_text(file), file.string(), {{}, folder, {}}, files);
  if (files != nullptr) files->push_back(file);
  spec.source.name = file.filename().string();
  return spec;
}

KernelSpec complete(KernelSpec spec) {
  try {
    validate(spec);
  } catch (const Fault& fault) {
    throw UsageError(fmt::format("kernel {}: {}: {}", shortened(spec.name), shortened(fault.place), fault.what()));
  }
  spec.fingerprints = fingerprints_of(spec);
  return spec;
}

}  // namespace attune
