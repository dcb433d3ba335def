// attune db verify, attune db compact: the wisdom database as a file.
#include <fmt/format.h>

#include <filesystem>

#include "attune/error.hpp"
#include "base/counted.hpp"
#include "base/near_name.hpp"
#include "base/shell_word.hpp"
#include "db/wisdom_verify.hpp"
#include "json_lines.hpp"
#include "options.hpp"
#include "put_text.hpp"
#include "stored.hpp"
#include "text.hpp"

namespace attune::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_ids = 10;

std::string damage_text(const VerifiedTable& table) {
  std::string ids;
  for (std::size_t i = 0; i < table.damaged.size() && i < most_ids; ++i)
    ids += (i > 0 ? ", " : " ") + std::to_string(table.damaged[i]);
  return fmt::format("{} of {}: {}{}{}", table.damaged.size(), counted(table.rows, "row"),
                     plural(table.damaged.size() == 1, "number"), ids,
                     table.damaged.size() > most_ids ? " and more" : "");
}

std::string counts_text(const Verification& found) {
  std::string text;
  for (const VerifiedTable& table : found.tables) text += (text.empty() ? "" : ", ") + counted(table.rows, table.name);
  return text;
}

std::string advice_text(const Verification& found, const std::string& file) {
  if (found.defects.empty())
    return "these rows are left out by every command; tune their problems again, or attune forget them";
  const std::string word = shell_word(file);
  return fmt::format(
      "keep what is sound (attune export --db {0} -o sound.json), move the file away (mv {0} {1}), and "
      "bring it back: attune import sound.json",
      word, shell_word(file + ".damaged"));
}

void show_verification(const Verification& found, const std::string& file, std::uintmax_t bytes) {
  put_text("{}: {}\n", file, found.is_sound() ? "sound" : "damaged");
  put_text("{}", fact_line("rows", counts_text(found)));
  put_text("{}", fact_line("bytes", count_text(bytes)));
  for (const std::string& defect : found.defects) put_text("{}", fact_line("file", defect));
  for (const VerifiedTable& table : found.tables)
    if (!table.damaged.empty()) put_text("{}", fact_line(table.name, damage_text(table)));
  if (found.is_sound()) return;
  const TextAndCommand advice = advice_in(advice_text(found, file));
  put_text("{}", fact_line("next", advice.text));
  if (!advice.command.empty()) put_text("{:{}}{}\n", "", fact_column, advice.command);
}

void print_verification(const Verification& found, const std::string& file, std::uintmax_t bytes) {
  Json tables = Json::array();
  for (const VerifiedTable& table : found.tables)
    tables.push_back({{"table", table.name}, {"rows", table.rows}, {"damaged", table.damaged}});
  print_line({{"type", "verification"},
              {"file", file},
              {"sound", found.is_sound()},
              {"bytes", bytes},
              {"defects", found.defects},
              {"tables", std::move(tables)}});
}

int verify(const Options& options, const std::string& file) {
  const Verification found = verify_wisdom(file, {note_on_stderr});
  (options.has("json") ? print_verification : show_verification)(found, file, std::filesystem::file_size(file));
  return found.is_sound() ? exit_done : exit_error;
}

int compact(const Options& options, const std::string& file) {
  std::error_code refused;  // compact_wisdom() says why it is no database
  const std::uintmax_t before = std::filesystem::file_size(file, refused);
  compact_wisdom(file, {note_on_stderr});
  const std::uintmax_t after = std::filesystem::file_size(file);
  if (options.has("json"))
    print_line({{"type", "compacted"}, {"file", file}, {"bytes_before", before}, {"bytes", after}});
  else
    put_text("{}: {} bytes, {} before\n", file, count_text(after), count_text(before));
  return exit_done;
}

}  // namespace

int run_db(const Arguments& arguments) {
  Options options("attune db verify|compact [FILE] [options]",
                  "  attune db verify\n  attune db verify copy.db --json\n  attune db compact\n", {"action", "file"});
  options.add()("json", "one JSON object instead of text");
  add_database_option(options);
  if (options.parse(arguments)) return exit_done;
  const std::string action = options.required("action");
  if (action != "verify" && action != "compact")
    throw UsageError("unknown action `" + action + "`" + suggestion(action, {"verify", "compact"}) +
                     "; it is verify or compact");
  if (options.has("file") && options.has("db")) throw UsageError("FILE and --db: one of both");
  const std::string file = options.has("file") ? options.required("file") : database_path(options);
  if (!std::filesystem::exists(file)) throw Error("there is no database at " + file);
  return action == "verify" ? verify(options, file) : compact(options, file);
}

}  // namespace attune::cli
