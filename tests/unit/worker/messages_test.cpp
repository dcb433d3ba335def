// Messages between coordinator and workers: every field travels, and no bytes do harm.
#include "worker/messages/messages.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <random>

namespace attune {
namespace {

using Bytes = std::vector<std::byte>;

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::uint64_t number() { return engine_(); }
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(engine_() % count); }
  bool flag() { return below(2) == 1; }
  double real() {
    constexpr double odd[] = {
        0, -0.0, 1.5, 1e308, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};
    return flag() ? odd[below(std::size(odd))] : static_cast<double>(engine_()) * 1e-7;
  }
  std::string text() {
    std::string made;
    for (std::size_t i = below(12); i > 0; --i) made += static_cast<char>(below(256));
    return made;
  }
  template <typename Enum>
  Enum choice(Enum last) {
    return static_cast<Enum>(below(static_cast<std::size_t>(last) + 1));
  }
  template <typename Make>
  auto list(Make make) {
    std::vector<decltype(make())> made;
    for (std::size_t i = below(4); i > 0; --i) made.push_back(make());
    return made;
  }

 private:
  std::mt19937_64 engine_;
};

Image image(Random& random) {
  Image made;
  made.architecture = random.text();
  made.toolchain = random.text();
  made.functions = random.list([&] { return ImageFunction{random.text(), random.text(), {3, 4, 5, 6, 7}}; });
  Bytes code;
  for (std::size_t i = random.below(40); i > 0; --i) code.push_back(static_cast<std::byte>(random.below(256)));
  made.code = std::make_shared<const Bytes>(std::move(code));
  return made;
}

Status status(Random& random) {
  Status made{random.choice(Verdict::quarantined), random.text(), random.flag()};
  if (made.ok()) made.sticky = false;
  return made;
}

StepsSetup steps(Random& random) {
  StepsSetup made;
  made.steps = random.list([&] {
    ResolvedStep step;
    step.kind = random.choice(StepKind::memset);
    step.expression = random.text();
    step.shape = {{1, 2, 3}, {4, 5, 6}, random.number()};
    step.arguments = random.list([&] { return random.below(9); });
    step.memset_argument = random.below(9);
    step.memset_value = static_cast<int>(random.below(256)) - 128;
    return step;
  });
  made.image = image(random);
  made.bytes = random.list([&] { return random.number(); });
  made.scalars = random.list([&] {
    ScalarBytes bytes{};
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(256));
    return bytes;
  });
  return made;
}

TrialSetup setup(Random& random) {
  TrialSetup made;
  made.kernel = random.text();
  made.problem = random.text();
  made.arguments = random.list([&] {
    const Fill fill{random.choice(FillKind::permutation), random.real(), random.real(), -5, 7, random.flag()};
    return ArgumentSetup{random.text(),
                         random.text(),
                         random.choice(Role::scalar),
                         random.flag(),
                         random.number(),
                         random.number(),
                         fill,
                         {random.real(), random.real(), random.flag()}};
  });
  if (random.flag()) made.prepare = steps(random);
  made.reference = steps(random);
  made.self_checked = random.flag();
  made.seed = random.number();
  return made;
}

ImageRequest image_request(Random& random) {
  ImageRequest made;
  made.source = {random.text(), random.text(), random.list([&] { return Header{random.text(), random.text()}; })};
  made.expressions = random.list([&] { return random.text(); });
  made.options = random.list([&] { return random.text(); });
  made.architecture = random.text();
  return made;
}

CompileOutcome outcome(Random& random) {
  CompileOutcome made;
  made.verdict = random.choice(Verdict::quarantined);
  made.log = random.text();
  if (made.verdict == Verdict::ok) made.image = image(random);
  made.milliseconds = random.real();
  return made;
}

std::vector<Request> requests(Random& random) {
  return {
      OpenDevice{},
      BeginProblem{setup(random)},
      LoadTrial{random.number(), {random.text(), 3, steps(random)}},
      CheckCandidate{random.number()},
      SampleCandidate{random.number(), {7, random.real(), random.choice(Regime::warm), 9}},
      SampleInTurn{random.list([&] { return random.number(); }), {1, 0, random.choice(Regime::warm), 9}},
      FillWithSamples{random.number(), {7, random.real(), random.choice(Regime::warm), 9}},
      RecheckCandidate{random.number(), random.flag()},
      WarmUpCandidate{random.number(), {random.real(), random.real(), random.real()}},
      MeterCandidate{random.number(), {7, random.real(), random.choice(Regime::warm), 9}, random.real(), random.real()},
      ReleaseCandidate{random.number()},
      OpenCompiler{},
      CompileImages{2, random.list([&] { return image_request(random); })}};
}

Watched watched(Random& random) {
  Watched made;
  made.states = random.list([&] {
    DeviceState state;
    if (random.flag()) state.sm_clock_mhz = random.real();
    if (random.flag()) state.power_w = random.real();
    if (random.flag()) state.throttle = throttle_hardware;
    return state;
  });
  made.users = random.list([&] { return random.text(); });
  return made;
}

std::vector<Reply> replies(Random& random) {
  DeviceInfo info;
  info.name = random.text();
  info.uuid = random.text();
  TrialOutcome trial{status(random), {random.real(), random.real(), random.number()}, {}, random.number()};
  if (random.flag()) trial.deterministic = random.flag();
  MeteredEnergy metered{status(random), {}};
  if (random.flag()) metered.energy = LaunchEnergy{random.real(), random.real(), random.real(), 5};
  std::vector<Answer> answers{
      Failure{random.choice(Failure::Kind::usage), random.text()},
      DeviceOpened{info, random.flag(), random.flag(), random.list([&] { return random.text(); })},
      Done{},
      trial,
      Sampled{status(random), random.list([&] { return random.real(); })},
      metered,
      CompilerOpened{random.text(), random.number(), random.flag()},
      ImagesCompiled{random.list([&] { return outcome(random); })}};
  std::vector<Reply> made;
  for (Answer& answer : answers) made.push_back({random.real(), random.real(), std::move(answer), watched(random)});
  return made;
}

// Bytes that are taken for a message are that message's, and no other's.
template <typename Decode>
void expect_harmless(const Bytes& bytes, Decode decode) {
  const auto message = decode(bytes);
  EXPECT_TRUE(!message || encode(*message) == bytes);
}

template <typename Message, typename Decode>
void expect_safe(const Message& message, std::size_t kind, Decode decode) {
  const Bytes bytes = encode(message);
  const auto back = decode(bytes);
  ASSERT_TRUE(back) << "kind " << kind;
  EXPECT_EQ(encode(*back), bytes) << "kind " << kind;
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(decode(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)))) << length;
  Bytes longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(decode(longer));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int flip : {1, 2, 16, 128, 255}) {
      Bytes damaged = bytes;
      damaged[at] ^= static_cast<std::byte>(flip);
      expect_harmless(damaged, decode);
    }
  }
}

TEST(Messages, RequestsComeBackAndDamageIsNoticedOrAnotherRequest) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const std::vector<Request> all = requests(random);
    ASSERT_EQ(all.size(), std::variant_size_v<Request>);
    for (std::size_t kind = 0; kind < all.size(); ++kind) {
      ASSERT_EQ(all[kind].index(), kind);
      expect_safe(all[kind], kind, [](const Bytes& bytes) { return decode_request(bytes); });
    }
  }
}

TEST(Messages, RepliesComeBackAndDamageIsNoticedOrAnotherReply) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const std::vector<Reply> all = replies(random);
    ASSERT_EQ(all.size(), std::variant_size_v<Answer>);
    for (std::size_t kind = 0; kind < all.size(); ++kind) {
      ASSERT_EQ(all[kind].answer.index(), kind);
      expect_safe(all[kind], kind, [](const Bytes& bytes) { return decode_reply(bytes); });
    }
  }
}

TEST(Messages, NoiseIsNoMessage) {
  Random random(3);
  for (int i = 0; i < 20'000; ++i) {
    Bytes noise{std::byte{kMessageVersion}, std::byte{0}, std::byte{0}, std::byte{0}};
    for (std::size_t n = random.below(60); n > 0; --n)
      noise.push_back(static_cast<std::byte>(random.below(i % 2 ? 256 : 4)));
    expect_harmless(noise, [](const Bytes& bytes) { return decode_request(bytes); });
    expect_harmless(noise, [](const Bytes& bytes) { return decode_reply(bytes); });
  }
}

TEST(Messages, AnotherVersionIsRefused) {
  Bytes bytes = encode(Request{OpenDevice{}});
  bytes[0] = std::byte{kMessageVersion + 1};
  EXPECT_FALSE(decode_request(bytes));
}

TEST(Messages, WhatCannotBeIsRefused) {
  const auto refused = [](Answer answer) { return !decode_reply(encode(Reply{0, 0, std::move(answer)})); };
  EXPECT_TRUE(refused(ImagesCompiled{{CompileOutcome{Verdict::ok, "", std::nullopt, 0}}}));
  Random random(1);
  EXPECT_TRUE(refused(ImagesCompiled{{CompileOutcome{Verdict::compile_error, "", image(random), 0}}}));
  EXPECT_TRUE(refused(TrialOutcome{{Verdict::ok, "", true}, {}, {}, 0}));
  EXPECT_TRUE(refused(MeteredEnergy{{Verdict::ok, "", true}, {}}));
  EXPECT_FALSE(refused(TrialOutcome{{Verdict::fault, "", true}, {}, {}, 0}));
  EXPECT_TRUE(refused(Sampled{{Verdict::ok, "", true}, {1}}));
}

// A field that were left out would make two messages alike that differ in it.
TEST(Messages, EveryFieldOfADeviceTravels) {
  const std::vector<std::function<void(DeviceInfo&)>> changes = {
      [](DeviceInfo& d) { d.kind = "host"; },
      [](DeviceInfo& d) { d.name = "x"; },
      [](DeviceInfo& d) { d.compute_capability = 90; },
      [](DeviceInfo& d) { d.multiprocessors = 9; },
      [](DeviceInfo& d) { d.memory_bytes = 9; },
      [](DeviceInfo& d) { d.memory_bus_bits = 9; },
      [](DeviceInfo& d) { d.l2_bytes = 9; },
      [](DeviceInfo& d) { d.mig_profile = "x"; },
      [](DeviceInfo& d) { d.warp_size = 64; },
      [](DeviceInfo& d) { d.max_threads_per_block = 9; },
      [](DeviceInfo& d) { d.max_threads_per_multiprocessor = 9; },
      [](DeviceInfo& d) { d.max_block[2] = 9; },
      [](DeviceInfo& d) { d.max_grid[0] = 9; },
      [](DeviceInfo& d) { d.shared_static_limit = 9; },
      [](DeviceInfo& d) { d.shared_per_block = 9; },
      [](DeviceInfo& d) { d.shared_per_multiprocessor = 9; },
      [](DeviceInfo& d) { d.registers_per_block = 9; },
      [](DeviceInfo& d) { d.registers_per_multiprocessor = 9; },
      [](DeviceInfo& d) { d.ordinal = 9; },
      [](DeviceInfo& d) { d.uuid = "x"; },
      [](DeviceInfo& d) { d.driver = "x"; },
      [](DeviceInfo& d) { d.driver_cuda_version = 9; },
      [](DeviceInfo& d) { d.clock_khz = 9; },
      [](DeviceInfo& d) { d.power_limit_mw = -9; }};
  const auto bytes_of = [](const DeviceInfo& info) {
    return encode(Reply{0, 0, DeviceOpened{info, false, false, {}}});
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    DeviceInfo changed;
    changes[i](changed);
    EXPECT_NE(bytes_of(changed), bytes_of(DeviceInfo{})) << "change " << i;
  }
}

TEST(Messages, EveryFieldOfASetupTravels) {
  const auto changed = [](const std::function<void(TrialSetup&, ArgumentSetup&, ResolvedStep&)>& change) {
    TrialSetup made;
    made.reference.image.code = std::make_shared<const Bytes>();
    ArgumentSetup argument;
    ResolvedStep step;
    change(made, argument, step);
    made.arguments.push_back(argument);
    made.reference.steps.push_back(step);
    return encode(Request{BeginProblem{made}});
  };
  const std::vector<std::function<void(TrialSetup&, ArgumentSetup&, ResolvedStep&)>> changes = {
      [](auto& s, auto&, auto&) { s.kernel = "x"; },
      [](auto& s, auto&, auto&) { s.problem = "x"; },
      [](auto& s, auto&, auto&) { s.prepare = s.reference; },
      [](auto& s, auto&, auto&) { s.reference.bytes = {1}; },
      [](auto& s, auto&, auto&) { s.reference.scalars = {ScalarBytes{}}; },
      [](auto& s, auto&, auto&) { s.reference.image.architecture = "x"; },
      [](auto& s, auto&, auto&) { s.self_checked = true; },
      [](auto& s, auto&, auto&) { s.seed = 9; },
      [](auto&, auto& a, auto&) { a.name = "x"; },
      [](auto&, auto& a, auto&) { a.type = "x"; },
      [](auto&, auto& a, auto&) { a.role = Role::inout; },
      [](auto&, auto& a, auto&) { a.restore = false; },
      [](auto&, auto& a, auto&) { a.count = 9; },
      [](auto&, auto& a, auto&) { a.bytes = 9; },
      [](auto&, auto& a, auto&) { a.fill.kind = FillKind::iota; },
      [](auto&, auto& a, auto&) { a.fill.a = 9; },
      [](auto&, auto& a, auto&) { a.fill.b = 9; },
      [](auto&, auto& a, auto&) { a.fill.integer_a = -9; },
      [](auto&, auto& a, auto&) { a.fill.integer_b = 9; },
      [](auto&, auto& a, auto&) { a.fill.full_range = true; },
      [](auto&, auto& a, auto&) { a.tolerance.absolute = 9; },
      [](auto&, auto& a, auto&) { a.tolerance.relative = 9; },
      [](auto&, auto& a, auto&) { a.tolerance.allow_nonfinite = true; },
      [](auto&, auto&, auto& s) { s.kind = StepKind::memset; },
      [](auto&, auto&, auto& s) { s.expression = "x"; },
      [](auto&, auto&, auto& s) { s.shape.grid[1] = 9; },
      [](auto&, auto&, auto& s) { s.shape.block[2] = 9; },
      [](auto&, auto&, auto& s) { s.shape.shared_bytes = 9; },
      [](auto&, auto&, auto& s) { s.arguments = {9}; },
      [](auto&, auto&, auto& s) { s.memset_argument = 9; },
      [](auto&, auto&, auto& s) { s.memset_value = 9; }};
  const Bytes plain = changed([](auto&, auto&, auto&) {});
  for (std::size_t i = 0; i < changes.size(); ++i) EXPECT_NE(changed(changes[i]), plain) << "change " << i;
}

}  // namespace
}  // namespace attune
