// Messages between coordinator and workers: every field travels, and no bytes do harm.
#include "worker/messages/messages.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <typeinfo>
#include <utility>

#include "worker/messages/fields.hpp"

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

 private:
  std::mt19937_64 engine_;
};

// Counts the fields of a list.
struct FieldCount {
  std::size_t count = 0;
  void operator()(const auto&... values) { count += sizeof...(values); }
  void operator()(const char*, const auto&) { ++count; }
  void choice(const auto&, auto) { ++count; }
};

// Fills a value with random ones by the list of its fields, as the archives of messages read it. Each list has to name
// every member.
class RandomArchive {
 public:
  explicit RandomArchive(Random& random) : random_(random) {}
  template <typename... Values>
  void operator()(Values&... values) {
    (make(values), ...);
  }
  template <typename T>
  void operator()(const char*, T& value) {
    make(value);
  }
  template <typename Enum>
  void choice(Enum& value, Enum last) {
    value = random_.choice(last);
  }

 private:
  void make(bool& value) { value = random_.flag(); }
  void make(double& value) { value = random_.real(); }
  void make(std::byte& value) { value = static_cast<std::byte>(random_.below(256)); }
  void make(std::string& value) { value = random_.text(); }
  void make(Image& image) {
    image.architecture = random_.text();
    image.toolchain = random_.text();
    image.functions.clear();
    for (std::size_t i = random_.below(4); i > 0; --i)
      image.functions.push_back({random_.text(), random_.text(), {3, 4, 5, 6, 7}});
    Bytes code(random_.below(40));
    for (std::byte& byte : code) make(byte);
    image.code = std::make_shared<const Bytes>(std::move(code));
  }
  template <typename Integer>
  requires(std::is_integral_v<Integer> && !std::is_same_v<Integer, bool>) void make(Integer& value) {
    value = static_cast<Integer>(random_.number());
  }
  template <typename T>
  void make(std::optional<T>& value) {
    value.reset();
    if (random_.flag()) make(value.emplace());
  }
  template <typename T>
  void make(std::vector<T>& values) {
    values.clear();
    for (std::size_t i = random_.below(4); i > 0; --i) make(values.emplace_back());
  }
  template <typename T, std::size_t N>
  void make(std::array<T, N>& values) {
    for (T& value : values) make(value);
  }
  template <typename Struct>
  requires(std::is_class_v<Struct>) void make(Struct& value) {
    FieldCount listed;
    fields(listed, value);
    EXPECT_EQ(listed.count, member_count<Struct>()) << typeid(Struct).name();
    fields(*this, value);
  }
  Random& random_;
};

// One of each alternative, in order.
template <typename Variant, std::size_t... I>
std::vector<Variant> one_of_each(Random& random, std::index_sequence<I...>) {
  RandomArchive archive(random);
  std::vector<Variant> made;
  const auto add = [&](auto value) {
    archive(value);
    made.push_back(std::move(value));
  };
  (add(std::variant_alternative_t<I, Variant>{}), ...);
  return made;
}

std::vector<Job> jobs(Random& random) {
  return one_of_each<Job>(random, std::make_index_sequence<std::variant_size_v<Job>>());
}

// What cannot be is not sent: a success that leaves the device beyond use, an outcome that is none.
void make_possible(Answer& answer) {
  std::visit(
      [](auto& held) {
        if constexpr (requires { held.status; })
          if (held.status.ok()) held.status.sticky = false;
      },
      answer);
  if (auto* const compiled = std::get_if<CompileAnswer>(&answer))
    for (CompileOutcome& outcome : compiled->outcomes) {
      if (outcome.image) outcome.verdict = Verdict::ok;
      if (!outcome.image && outcome.verdict == Verdict::ok) outcome.verdict = Verdict::compile_error;
    }
}

std::vector<Reply> replies(Random& random) {
  RandomArchive archive(random);
  std::vector<Reply> made;
  for (Answer& answer : one_of_each<Answer>(random, std::make_index_sequence<std::variant_size_v<Answer>>())) {
    make_possible(answer);
    Reply& reply = made.emplace_back();
    archive(reply.seconds, reply.worked_seconds, reply.watched, reply.changed);
    reply.answer = std::move(answer);
  }
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

TEST(Messages, JobsComeBackAndDamageIsNoticedOrAnotherJob) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const std::vector<Job> all = jobs(random);
    for (std::size_t kind = 0; kind < all.size(); ++kind)
      expect_safe(all[kind], kind, [](const Bytes& bytes) { return decode_job(bytes); });
  }
}

TEST(Messages, RepliesComeBackAndDamageIsNoticedOrAnotherReply) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const std::vector<Reply> all = replies(random);
    for (std::size_t kind = 0; kind < all.size(); ++kind)
      expect_safe(all[kind], kind, [](const Bytes& bytes) { return decode_reply(bytes); });
  }
}

TEST(Messages, NoiseIsNoMessage) {
  Random random(3);
  for (int i = 0; i < 20'000; ++i) {
    Bytes noise{std::byte{message_version}, std::byte{0}, std::byte{0}, std::byte{0}};
    for (std::size_t n = random.below(60); n > 0; --n)
      noise.push_back(static_cast<std::byte>(random.below(i % 2 ? 256 : 4)));
    expect_harmless(noise, [](const Bytes& bytes) { return decode_job(bytes); });
    expect_harmless(noise, [](const Bytes& bytes) { return decode_reply(bytes); });
  }
}

TEST(Messages, AnotherVersionIsRefused) {
  Bytes job = encode(Job{OpenDevice{}}), reply = encode(Reply{});
  EXPECT_TRUE(decode_job(job) && decode_reply(reply));
  job[0] = reply[0] = std::byte{message_version + 1};
  EXPECT_FALSE(decode_job(job));
  EXPECT_FALSE(decode_reply(reply));
}

// A count of what does not follow takes no memory.
TEST(Messages, CountsAreNotTrusted) {
  Bytes bytes = encode(Job{Rounds{{}, {}}});
  const std::size_t count_at = 5;  // behind version and kind
  for (std::size_t i = 0; i < 4; ++i) bytes[count_at + i] = std::byte{0xff};
  EXPECT_FALSE(decode_job(bytes));
}

TEST(Messages, WhatCannotBeIsRefused) {
  const auto refused = [](Answer answer) { return !decode_reply(encode(Reply{0, 0, std::move(answer)})); };
  Image image;
  image.code = std::make_shared<const Bytes>();
  EXPECT_TRUE(refused(CompileAnswer{{CompileOutcome{Verdict::ok, "", std::nullopt, 0}}}));
  EXPECT_TRUE(refused(CompileAnswer{{CompileOutcome{Verdict::compile_error, "", image, 0}}}));
  EXPECT_FALSE(refused(CompileAnswer{{CompileOutcome{Verdict::ok, "", image, 0}}}));
  const Status sticky_success{Verdict::ok, "", true};
  EXPECT_TRUE(refused(TryAnswer{sticky_success, {}, {}, 0}));
  EXPECT_TRUE(refused(RoundsAnswer{sticky_success, {1}}));
  EXPECT_TRUE(refused(CheckAnswer{sticky_success, {}, {}}));
  EXPECT_TRUE(refused(MeterAnswer{sticky_success, {}}));
  EXPECT_FALSE(refused(TryAnswer{{Verdict::fault, "", true}, {}, {}, 0}));
}

}  // namespace
}  // namespace attune
