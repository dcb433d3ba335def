#include "worker/messages/messages.hpp"

#include "base/archive.hpp"
#include "worker/messages/fields.hpp"

namespace attune {

namespace {

template <typename Variant>
void write_variant(WriteArchive& archive, const Variant& value) {
  archive(static_cast<std::uint8_t>(value.index()));
  std::visit([&](const auto& held) { archive(held); }, value);
}

template <typename Variant, std::size_t I = 0>
bool read_variant(ReadArchive& archive, std::size_t number, Variant& value) {
  if constexpr (I == std::variant_size_v<Variant>) {
    return false;
  } else {
    if (number != I) return read_variant<Variant, I + 1>(archive, number, value);
    archive(value.template emplace<I>());
    return archive.complete();
  }
}

template <typename Variant>
bool read_variant(ReadArchive& archive, Variant& value) {
  std::uint8_t number = 0;
  archive(number);
  return read_variant<Variant, 0>(archive, number, value);
}

// Returns whether each outcome has an image if and only if its verdict is ok.
bool consistent(const CompileAnswer& compiled) {
  for (const CompileOutcome& outcome : compiled.outcomes)
    if (outcome.image.has_value() != (outcome.verdict == Verdict::ok)) return false;
  return true;
}

// Returns false for a success that says that the device is unusable.
bool consistent(const Status& status) { return !status.ok() || !status.sticky; }

bool consistent(const Answer& answer) {
  if (const auto* compiled = std::get_if<CompileAnswer>(&answer)) return consistent(*compiled);
  const Status* const status = status_of(answer);
  return status == nullptr || consistent(*status);
}

}  // namespace

std::vector<std::byte> encode(const Job& job) {
  WriteArchive archive;
  archive(message_version);
  write_variant(archive, job);
  return archive.take();
}

std::vector<std::byte> encode(const Reply& reply) {
  WriteArchive archive;
  archive(message_version, reply.seconds, reply.worked_seconds, reply.watched, reply.changed);
  write_variant(archive, reply.answer);
  return archive.take();
}

std::optional<Job> decode_job(std::span<const std::byte> bytes) {
  ReadArchive archive(bytes);
  std::uint32_t version = 0;
  archive(version);
  Job job;
  if (version != message_version || !read_variant(archive, job)) return std::nullopt;
  return job;
}

std::optional<Reply> decode_reply(std::span<const std::byte> bytes) {
  ReadArchive archive(bytes);
  std::uint32_t version = 0;
  Reply reply;
  archive(version, reply.seconds, reply.worked_seconds, reply.watched, reply.changed);
  if (version != message_version || !read_variant(archive, reply.answer)) return std::nullopt;
  if (!consistent(reply.answer)) return std::nullopt;
  return reply;
}

}  // namespace attune
