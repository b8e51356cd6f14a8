// The byte stream between worker and parent, alike on every system: kind (1 byte), payload length (8 bytes, native
// order), payload. And the tail of what a child printed. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "isolate/child_process.hpp"

namespace heapwright::isolate::detail {

inline constexpr std::size_t kFrameHeaderBytes = 1 + sizeof(std::uint64_t);
inline constexpr std::size_t kDiagnosticBytes = 64 << 10;

[[nodiscard]] std::array<char, kFrameHeaderBytes> frame_header(char kind, std::size_t payload_bytes);

// Puts frames together from pieces of any size.
class FrameParser {
public:
    void feed(const char* bytes, std::size_t count, const FrameHandler& on_frame);

private:
    std::string buffer_;
};

// Appends and keeps the last kDiagnosticBytes.
void keep_tail(std::string& text, const char* bytes, std::size_t count);

}  // namespace heapwright::isolate::detail
