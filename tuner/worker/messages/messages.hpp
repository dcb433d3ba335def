// Messages: jobs and replies as bytes (docs/formats/worker_messages.md). Decoding is safe for any bytes. Pure
// functions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "worker/jobs.hpp"

namespace attune {

constexpr std::uint32_t message_version = 1;

// Return the bytes of a message.
std::vector<std::byte> encode(const Job& job);
std::vector<std::byte> encode(const Reply& reply);
// Return the message; nothing for bytes that are damaged, of another version, or hold an impossible value.
std::optional<Job> decode_job(std::span<const std::byte> bytes);
std::optional<Reply> decode_reply(std::span<const std::byte> bytes);

}  // namespace attune
