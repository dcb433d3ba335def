// attune merge: databases of one's own become one.
#include <filesystem>

#include "attune/error.hpp"
#include "options.hpp"
#include "put_text.hpp"
#include "stored.hpp"
#include "wisdom/joined.hpp"

namespace attune::cli {

int run_merge(const Arguments& arguments) {
  Options options("attune merge A.db B.db... [--into FILE] [options]",
                  "  attune merge node1.db node2.db --into all.db\n  attune merge cluster.db --dry-run\n",
                  {"files..."});
  options.add()("into", named_value("FILE"),
                "the database that gets it all, and is made if it is missing (default: as without --db)")(
      "dry-run", "shows what would come, and writes nothing");
  add_database_option(options);
  if (options.parse(arguments)) return exit_done;
  const auto into = options.text("into");
  if (into && options.has("db")) throw UsageError("--into and --db: one of both");
  const JoinTerms terms = join_terms(into ? *into : database_path(options), options.has("dry-run"));
  const std::vector<std::string> names = options.required_list("files");
  for (const std::string& name : names)
    if (!std::filesystem::exists(name)) throw UsageError("there is no database " + name);
  for (const std::string& name : names) {
    const JoinResult joined = join_database(name, terms);
    put_text("{}{}\n", name, terms.only_looks ? " would bring" : "");
    put_joined(joined, {}, terms);
  }
  return exit_done;
}

}  // namespace attune::cli
