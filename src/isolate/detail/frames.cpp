#include "isolate/detail/frames.hpp"

#include <cstring>

namespace heapwright::isolate::detail {

std::array<char, kFrameHeaderBytes> frame_header(char kind, std::size_t payload_bytes) {
    const std::uint64_t length = payload_bytes;
    std::array<char, kFrameHeaderBytes> header;
    header[0] = kind;
    std::memcpy(header.data() + 1, &length, sizeof length);
    return header;
}

void FrameParser::feed(const char* bytes, std::size_t count, const FrameHandler& on_frame) {
    buffer_.append(bytes, count);
    std::size_t begin = 0;
    while (buffer_.size() - begin >= kFrameHeaderBytes) {
        std::uint64_t length = 0;
        std::memcpy(&length, buffer_.data() + begin + 1, sizeof length);
        if (buffer_.size() - begin - kFrameHeaderBytes < length) break;
        on_frame(buffer_[begin], buffer_.substr(begin + kFrameHeaderBytes, length));
        begin += kFrameHeaderBytes + length;
    }
    buffer_.erase(0, begin);
}

void keep_tail(std::string& text, const char* bytes, std::size_t count) {
    text.append(bytes, count);
    if (text.size() > kDiagnosticBytes) text.erase(0, text.size() - kDiagnosticBytes);
}

}  // namespace heapwright::isolate::detail
