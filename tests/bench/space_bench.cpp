// What a search space costs: from strings to ready, with all rows listed, and each operation. On the definitions of a
// folder (--spaces DIR, or the environment variable ATTUNE_SPACES, or the tests' copies) and on four hard cases.
//   ready/NAME            from expressions as text and lists of values to a space that can be asked
//   cold/eight            the same once for each of the eight published spaces, first thing in the process
//   list/NAME             ready, and every row written out (spaces of up to 20 million)
//   at/NAME index_of/NAME sample/NAME random_neighbour/NAME nearest/NAME   on rows, per call
//   neighbours/NAME       all of a row; time per neighbour
// Counters: legal, nodes, diagram_kb, peak_kb (most heap memory at once beyond what was in use before).
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>

#include "attune/search_space.hpp"
#include "spec/t1_space.hpp"
#include "support/hard_spaces.hpp"

namespace {

// Heap memory while `watching`; one thread.
bool watching = false;
std::size_t in_use = 0, peak = 0;

void* allocated(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  if (watching) peak = std::max(peak, in_use += malloc_usable_size(memory));
  return memory;
}

void release(void* memory) {
  if (watching && memory != nullptr) in_use -= std::min(in_use, malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return allocated(std::malloc(size)); }
void* operator new[](std::size_t size) { return allocated(std::malloc(size)); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }

namespace attune {
namespace {

constexpr const char* eight[] = {"dedispersion", "expdist",     "hotspot",     "gemm",
                                 "microhh",      "atf_prl_2x2", "atf_prl_4x4", "atf_prl_8x8"};

struct Definition {
  std::string name;
  std::vector<Parameter> parameters;
  std::vector<std::string> rules;
  Dialect dialect = Dialect::python;
};

SearchSpace build(const Definition& definition, std::vector<Parameter> parameters) {
  std::vector<Rule> rules;
  rules.reserve(definition.rules.size());
  for (const auto& rule : definition.rules) rules.push_back({Expression(rule, definition.dialect), false});
  return SearchSpace(std::move(parameters), std::move(rules));
}

SearchSpace build(const Definition& definition) { return build(definition, definition.parameters); }

std::size_t peak_of(const Definition& definition) {
  auto parameters = definition.parameters;
  in_use = peak = 0;
  watching = true;
  const SearchSpace space = build(definition, std::move(parameters));
  watching = false;
  return peak;
}

// The values are copied before the clock starts: they are what an application has.
void ready(benchmark::State& state, const Definition& definition) {
  for (auto unused : state) {
    state.PauseTiming();
    auto parameters = definition.parameters;
    std::optional<SearchSpace> space;
    state.ResumeTiming();
    space.emplace(build(definition, std::move(parameters)));
    benchmark::DoNotOptimize(space);
    state.PauseTiming();
    space.reset();
    state.ResumeTiming();
  }
  const SearchSpace space = build(definition);
  state.counters["legal"] = static_cast<double>(space.size());
  state.counters["nodes"] = static_cast<double>(space.figures().nodes);
  state.counters["diagram_kb"] = static_cast<double>(space.figures().bytes) / 1024;
  state.counters["peak_kb"] = static_cast<double>(peak_of(definition)) / 1024;
}

void list(benchmark::State& state, const Definition& definition) {
  for (auto unused : state) benchmark::DoNotOptimize(build(definition).rows());
  state.counters["legal"] = static_cast<double>(build(definition).size());
}

constexpr std::size_t drawn = 4096;  // rows that an operation is tried on in turn

struct Drawn {
  explicit Drawn(const Definition& definition)
      : space(build(definition)), columns(space.parameters().size()), rows(drawn, Row(columns)) {
    std::mt19937_64 random(1);
    for (auto& row : rows) {
      indices.push_back(uniform_below(space.size(), random));
      space.at(indices.back(), row);
    }
  }
  SearchSpace space;
  std::size_t columns;
  std::vector<Row> rows;
  std::vector<SpaceSize> indices;
};

void at(benchmark::State& state, const Definition& definition) {
  const Drawn on(definition);
  Row row(on.columns);
  std::size_t i = 0;
  for (auto unused : state) {
    on.space.at(on.indices[i++ % drawn], row);
    benchmark::DoNotOptimize(row.data());
  }
}

void index_of(benchmark::State& state, const Definition& definition) {
  const Drawn on(definition);
  std::size_t i = 0;
  for (auto unused : state) benchmark::DoNotOptimize(on.space.index_of(RowView(on.rows[i++ % drawn])));
}

void sample(benchmark::State& state, const Definition& definition) {
  const Drawn on(definition);
  Row row(on.columns);
  std::mt19937_64 random(2);
  for (auto unused : state) {
    on.space.sample(random, row);
    benchmark::DoNotOptimize(row.data());
  }
}

void random_neighbour(benchmark::State& state, const Definition& definition) {
  const Drawn on(definition);
  Row row(on.columns);
  std::mt19937_64 random(3);
  std::size_t i = 0;
  for (auto unused : state)
    benchmark::DoNotOptimize(on.space.random_neighbour(on.rows[i++ % drawn], Neighbourhood::any_value, random, row));
}

void neighbours(benchmark::State& state, const Definition& definition) {
  const Drawn on(definition);
  std::size_t i = 0, met = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (auto unused : state) {
    on.space.for_each_neighbour(on.rows[i++ % drawn], Neighbourhood::any_value, [&](RowView row) {
      benchmark::DoNotOptimize(row.data());
      ++met;
      return true;
    });
  }
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
  state.counters["neighbours"] = static_cast<double>(met) / static_cast<double>(i);
  state.counters["ns_each"] = spent.count() / static_cast<double>(std::max<std::size_t>(met, 1));
}

void nearest(benchmark::State& state, const Definition& definition) {
  const SearchSpace space = build(definition);
  Configuration wished;
  for (const auto& parameter : definition.parameters)
    wished.set(parameter.name, parameter.values[parameter.values.size() / 2]);
  for (auto unused : state) benchmark::DoNotOptimize(space.nearest(wished));
}

std::filesystem::path folder(int argc, char** argv) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::string_view(argv[i]) == "--spaces") return argv[i + 1];
  }
  const char* const named = std::getenv("ATTUNE_SPACES");
  return named != nullptr ? named : ATTUNE_SPACES_FOLDER;
}

std::vector<Definition> definitions_in(const std::filesystem::path& spaces) {
  std::vector<Definition> definitions;
  for (const auto& entry : std::filesystem::directory_iterator(spaces)) {
    if (entry.path().extension() != ".json") continue;
    const T1Space read = load_t1_space(entry.path());
    Definition definition{entry.path().stem().string(), read.parameters, {}, Dialect::python};
    for (const auto& rule : read.rules) definition.rules.push_back(rule.expression.text());
    definitions.push_back(std::move(definition));
  }
  std::sort(definitions.begin(), definitions.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return definitions;
}

// Before anything else has warmed the caches, the allocator and the branch predictors.
double cold_ms(const std::vector<Definition>& definitions) {
  std::vector<std::vector<Parameter>> values;
  for (const auto& definition : definitions) values.push_back(definition.parameters);
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    const bool counts = std::find(std::begin(eight), std::end(eight), definitions[i].name) != std::end(eight);
    if (counts) benchmark::DoNotOptimize(build(definitions[i], std::move(values[i])));
  }
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

using Operation = void (*)(benchmark::State&, const Definition&);

void enter(const char* what, Operation operation, const Definition& definition, benchmark::TimeUnit unit) {
  benchmark::RegisterBenchmark((std::string(what) + "/" + definition.name).c_str(), [operation, &definition](
                                                                                        benchmark::State& state) {
    operation(state, definition);
  })->Unit(unit);
}

void enter_all(const std::vector<Definition>& definitions) {
  constexpr SpaceSize most_listed = 20'000'000;
  for (const auto& definition : definitions) {
    enter("ready", ready, definition, benchmark::kMillisecond);
    if (build(definition).size() <= most_listed) enter("list", list, definition, benchmark::kMillisecond);
    enter("at", at, definition, benchmark::kNanosecond);
    enter("index_of", index_of, definition, benchmark::kNanosecond);
    enter("sample", sample, definition, benchmark::kNanosecond);
    enter("random_neighbour", random_neighbour, definition, benchmark::kNanosecond);
    enter("neighbours", neighbours, definition, benchmark::kNanosecond);
    enter("nearest", nearest, definition, benchmark::kMicrosecond);
  }
}

// The space that has no small diagram: until it gives up, and what it used until then.
void gives_up(benchmark::State& state, const Definition& definition) {
  std::size_t refused = 0;
  for (auto unused : state) {
    try {
      build(definition);
    } catch (const SpaceTooLarge&) {
      ++refused;
    }
  }
  state.counters["refused"] = refused > 0 ? 1 : 0;
}

}  // namespace

int run(int argc, char** argv) {
  auto definitions = definitions_in(folder(argc, argv));
  const double cold = cold_ms(definitions);
  std::vector<Definition> hard;
  for (auto& space : hard_spaces()) hard.push_back({space.name, space.parameters, space.rules, Dialect::attune});
  enter_all(definitions);
  for (const auto& definition : hard) {
    const bool large = definition.name == "hard_modular_sum";
    enter("ready", large ? gives_up : ready, definition, benchmark::kMillisecond);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::AddCustomContext("cold_eight_ms", std::to_string(cold));
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace attune

int main(int argc, char** argv) {
  try {
    return attune::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "space_bench: %s\n", error.what());
    return 1;
  }
}
