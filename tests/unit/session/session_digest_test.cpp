// Whole sessions on recordings, held bit for bit to tests/data/session_digests.txt: three digests for each
// session, of its trials, of its finalists and of its record, so that a failure names the part that moved.
//
// A line of that file: recording, kind, seed, strategy, then the three digests. Two settings of the environment help:
//   ATTUNE_WRITE_DIGESTS=1     writes the lines of all tests that run, in place of comparing them. Run the binary
//                              itself: bin/unit_replay --gtest_filter='*SessionDigest*'. CTest may run two tests
//                              at once.
//   ATTUNE_DIGEST_TEXTS=FOLDER keeps what is digested, one file a session; `diff -r` of two folders shows the change.
//
// Left out is what no two runs share: uuids, times of day, host names, seconds of a real clock. Details of verdicts are
// left out too, because their wording may change.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "base/digest.hpp"
#include "db/wisdom_store.hpp"
#include "recordings/recording_file.hpp"
#include "session/kernel_session.hpp"
#include "subject/recording_subject.hpp"
#include "support/bowl.hpp"
#include "support/replay_pool.hpp"
#include "worker/workers.hpp"

namespace attune {
namespace {

constexpr int digest_seeds = 20;
constexpr std::size_t kept_digits = 16;  // of a digest that are kept: 64 bits
constexpr const char* expected_path = ATTUNE_TEST_DATA "/session_digests.txt";

// In turn by seed. A list of its own: a strategy that is added moves no digest.
constexpr const char* strategies[] = {"auto",           "bayesian",  "random",  "exhaustive",
                                      "local",          "annealing", "genetic", "differential_evolution",
                                      "particle_swarm", "tabu"};

// Sums and roots agree everywhere. Logarithms, powers and random distributions are a library's own.
#if defined(__x86_64__) && defined(__GLIBCXX__) && defined(__GLIBC__)
constexpr bool same_arithmetic = true;
#else
constexpr bool same_arithmetic = false;
#endif

Recording pnpoly() { return load_recordings(ATTUNE_TEST_DATA "/recorded/pnpoly_RTX_3090.json.xz").at(0); }

// Every kind of failure; the default fails too, so that nothing anchors the scores.
Recording failing() {
  constexpr Verdict verdicts[] = {Verdict::launch_error, Verdict::compile_error, Verdict::restricted,
                                  Verdict::timeout,      Verdict::load_error,    Verdict::fault,
                                  Verdict::wrong_result, Verdict::guard,         Verdict::resources};
  Recording recording = bowl();
  for (std::size_t i = 0; i < recording.trials.size(); i += 4) {
    recording.trials[i].verdict = verdicts[i / 4 % std::size(verdicts)];
    recording.trials[i].detail = "as recorded";
    recording.trials[i].samples_ns.clear();
  }
  return recording;
}

struct SessionCase {
  const char* recording;
  Recording (*read)();
  std::int64_t trials;  // limit of a session
  bool disturbed;
  unsigned depth;  // of the device worker's queue
  std::string kind() const { return std::string(disturbed ? "disturbed" : "plain") + (depth == 1 ? "" : "_deep"); }
};

// For GoogleTest, which shows the parameter in the names of tests.
void PrintTo(const SessionCase& subject, std::ostream* out) { *out << subject.recording << " " << subject.kind(); }

// Bit for bit, as text.
std::string exact(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%a", value);
  return text;
}

std::string exact(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += " " + exact(value);
  return text;
}

std::string exact(const Measurement& measurement) {
  return "min " + exact(measurement.min_ns) + " q1 " + exact(measurement.q1_ns) + " median " +
         exact(measurement.median_ns) + " q3 " + exact(measurement.q3_ns) + " samples" + exact(measurement.samples_ns);
}

std::string text_of(const Trial& trial) {
  return trial.configuration.text() + " | " + std::string(to_text(trial.verdict)) + " batch " +
         std::to_string(trial.batch) + " attempts " + std::to_string(trial.attempts) + " compile_ms " +
         exact(trial.compile_ms) + " anchor " + exact(trial.anchor_ns) + " " + exact(trial.measurement) + "\n";
}

std::string text_of(const FinalistResult& finalist) {
  return finalist.configuration.text() + " | " + exact(finalist.measurement) + " objectives" +
         exact(finalist.objective_values) + (finalist.pareto ? " pareto" : "") + "\n";
}

std::string text_of(const Record& record) {
  const auto line = [](const char* name, const std::string& value) { return name + (" " + value) + "\n"; };
  const auto flag = [](bool value) { return std::string(value ? "yes" : "no"); };
  return line("configuration", record.configuration.text()) + line("median", exact(record.median_ns)) +
         line("default", exact(record.default_ns)) + line("speedup", exact(record.speedup)) +
         line("low", exact(record.speedup_low)) + line("high", exact(record.speedup_high)) +
         line("min", exact(record.min_ns)) + line("q1", exact(record.q1_ns)) + line("q3", exact(record.q3_ns)) +
         line("value", exact(record.value)) + line("default_value", exact(record.default_value)) +
         line("anchor_ratio", exact(record.anchor_ratio)) + line("batch", std::to_string(record.batch)) +
         line("rounds", std::to_string(record.rounds)) + line("dropped", std::to_string(record.rounds_dropped)) +
         line("trials", std::to_string(record.trials)) + line("seed", std::to_string(record.seed)) +
         line("effort", std::string(to_text(record.effort))) + line("partial", flag(record.partial)) +
         line("unstable", flag(record.unstable)) + line("busy", flag(record.busy));
}

struct Parts {
  std::string trials, finalists, record;
};

// Shown trials are committed trials, in that order.
class Shown final : public Observer {
 public:
  void trial_done(const Trial& trial, const Progress&) override { text += text_of(trial); }
  std::string text;
};

KernelRequest request_of(const SessionCase& subject, const Recording& recording, int seed) {
  KernelRequest request;
  request.spec = replay_kernel(recording);
  request.strategy = strategies[static_cast<std::size_t>(seed) % std::size(strategies)];
  request.seed = static_cast<std::uint64_t>(seed);
  request.limits.trials = subject.trials;
  request.compile_threads = 1;
  request.depth = subject.depth;
  return request;
}

std::uint64_t device_seed(int seed) { return static_cast<std::uint64_t>(seed) + 1000; }

Parts run_on(Pool& pool, const SessionRequest& request, const Subject& subject) {
  WisdomStore store(":memory:");
  Shown shown;
  const std::atomic<int> stop{0};
  const SessionResult result = run_session(request, subject, pool, store, nullptr, shown, stop);
  Parts parts{shown.text, "", result.record ? text_of(*result.record) : "none\n"};
  for (const FinalistResult& finalist : result.finalists) parts.finalists += text_of(finalist);
  std::string stored;
  for (const Trial& trial : store.trials(1)) stored += text_of(trial);
  EXPECT_EQ(stored, shown.text) << "what the database holds of seed " << *request.seed;
  return parts;
}

// In this process.
Parts run(const SessionCase& subject, const Recording& recording, int seed) {
  ReplayOptions options;
  options.seed = device_seed(seed);
  if (subject.disturbed) options.disturbance.emplace();
  ReplayPool on(recording, options);
  const KernelRequest request = request_of(subject, recording, seed);
  return run_on(on.pool, request, RecordingSubject(recording, request.spec, on.pool.device().info));
}

void keep_text(const SessionCase& subject, int seed, const Parts& parts) {
  const char* const folder = std::getenv("ATTUNE_DIGEST_TEXTS");
  if (folder == nullptr) return;
  std::filesystem::create_directories(folder);
  const std::string name = std::string(subject.recording) + "_" + subject.kind() + "_" + std::to_string(seed) + ".txt";
  std::ofstream(std::filesystem::path(folder) / name) << "trials\n"
                                                      << parts.trials << "finalists\n"
                                                      << parts.finalists << "record\n"
                                                      << parts.record;
}

struct Digests {
  std::string trials, finalists, record;
};

Digests digests_of(const Parts& parts) {
  const auto digest = [](const std::string& text) { return sha256(text).substr(0, kept_digits); };
  return {digest(parts.trials), digest(parts.finalists), digest(parts.record)};
}

// By what precedes the digests: "bowl plain 3 exhaustive".
using Lines = std::map<std::string, Digests>;

std::string name_of(const SessionCase& subject, int seed) {
  return std::string(subject.recording) + " " + subject.kind() + (seed < 10 ? " 0" : " ") + std::to_string(seed) + " " +
         strategies[static_cast<std::size_t>(seed) % std::size(strategies)];
}

Lines read_lines() {
  Lines lines;
  std::ifstream file(expected_path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string recording, kind, seed, strategy;
    Digests digests;
    words >> recording >> kind >> seed >> strategy >> digests.trials >> digests.finalists >> digests.record;
    lines[recording + " " + kind + " " + seed + " " + strategy] = digests;
  }
  return lines;
}

// Lines of sessions that did not run now stay.
void write_lines(const Lines& found) {
  Lines lines = read_lines();
  for (const auto& [name, digests] : found) lines[name] = digests;
  std::ofstream file(expected_path);
  for (const auto& [name, digests] : lines)
    file << name << " " << digests.trials << " " << digests.finalists << " " << digests.record << "\n";
  ASSERT_TRUE(file.flush()) << expected_path;
}

void compare(const std::string& name, const Digests& found, const Lines& expected) {
  const auto line = expected.find(name);
  ASSERT_NE(line, expected.end()) << "no digest of " << name << " in " << expected_path;
  EXPECT_EQ(found.trials, line->second.trials) << "trials of " << name;
  EXPECT_EQ(found.finalists, line->second.finalists) << "finalists of " << name;
  EXPECT_EQ(found.record, line->second.record) << "record of " << name;
}

class SessionDigest : public testing::TestWithParam<SessionCase> {};

TEST_P(SessionDigest, HoldsTrialsFinalistsAndRecord) {
  if (!same_arithmetic) GTEST_SKIP() << "the digests are those of glibc and libstdc++ on x86-64";
  const Recording recording = GetParam().read();
  Lines found;
  for (int seed = 0; seed < digest_seeds; ++seed) {
    const Parts parts = run(GetParam(), recording, seed);
    keep_text(GetParam(), seed, parts);
    found[name_of(GetParam(), seed)] = digests_of(parts);
  }
  if (std::getenv("ATTUNE_WRITE_DIGESTS") != nullptr) return write_lines(found);
  const Lines expected = read_lines();
  for (const auto& [name, digests] : found) compare(name, digests, expected);
}

// `bowl` ends by its limit, `failing` has tried everything, `pnpoly` has far more than is tried.
constexpr SessionCase digest_subjects[] = {
    {"bowl", bowl, 30, false, 1},      {"bowl", bowl, 30, true, 1},       {"failing", failing, 60, false, 1},
    {"failing", failing, 60, true, 1}, {"pnpoly", pnpoly, 150, false, 1}, {"pnpoly", pnpoly, 150, true, 1},
    {"bowl", bowl, 30, false, 2},      {"bowl", bowl, 30, true, 2},       {"failing", failing, 60, false, 2},
    {"failing", failing, 60, true, 2}, {"pnpoly", pnpoly, 150, false, 2}, {"pnpoly", pnpoly, 150, true, 2}};
INSTANTIATE_TEST_SUITE_P(Replay, SessionDigest, testing::ValuesIn(digest_subjects),
                         [](const testing::TestParamInfo<SessionCase>& each) {
                           return std::string(each.param.recording) + "_" + each.param.kind();
                         });

// Two jobs deep, in processes that may be fast or slow: the very trials, finalists and records of one process.
TEST(SessionDigest, IsTheSameThroughWorkerProcesses) {
  if (!same_arithmetic) GTEST_SKIP() << "the digests are those of glibc and libstdc++ on x86-64";
  const Lines expected = read_lines();
  const Recording recording = bowl();
  for (const bool disturbed : {false, true})
    for (int seed = 0; seed < digest_seeds; seed += 2) {
      const SessionCase subject{"bowl", bowl, 30, disturbed, 2};
      const std::string device =
          "replay:" ATTUNE_TEST_DATA "/recordings/bowl.json,seed=" + std::to_string(device_seed(seed)) +
          (disturbed ? ",disturbed" : "");
      const std::unique_ptr<Workers> workers = process_workers(ATTUNE_BUILD_DIR "/bin/attune", device);
      Pool pool(*workers);
      const KernelRequest request = request_of(subject, recording, seed);
      const KernelSubject compiled(request.spec, {}, pool.device().info);
      compare(name_of(subject, seed), digests_of(run_on(pool, request, compiled)), expected);
    }
}

}  // namespace
}  // namespace attune
