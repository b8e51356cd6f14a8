#include "core/utf8.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace heapwright {

std::size_t utf8_sequence_bytes(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
    };
    const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
        return byte(i) >= low && byte(i) <= high;
    };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
    if (first >= 0xE0 && first <= 0xEF) {
        return follows(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF) && follows(2) ? 3 : 0;
    }
    if (first >= 0xF0 && first <= 0xF4) {
        return follows(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF) && follows(2) && follows(3) ? 4 : 0;
    }
    return 0;
}

std::string well_formed_utf8(std::string_view text) {
    constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t bytes = utf8_sequence_bytes(text, at);
        result += bytes == 0 ? kReplacement : text.substr(at, bytes);
        at += bytes == 0 ? 1 : bytes;
    }
    return result;
}

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

enum class ByteOrder { kLittle, kBig };

// Of text that begins with Latin letters, every second byte is zero.
std::optional<ByteOrder> utf16_order(std::string_view bytes) {
    if (bytes.starts_with("\xff\xfe")) return ByteOrder::kLittle;
    if (bytes.starts_with("\xfe\xff")) return ByteOrder::kBig;
    constexpr std::size_t kLooksAt = 64;
    const std::size_t count = std::min(bytes.size(), kLooksAt) / 2;
    std::size_t even = 0;
    std::size_t odd = 0;
    for (std::size_t i = 0; i < count; ++i) {
        even += bytes[2 * i] == '\0' ? 1u : 0u;
        odd += bytes[2 * i + 1] == '\0' ? 1u : 0u;
    }
    if (even == 0 && 2 * odd > count) return ByteOrder::kLittle;
    if (odd == 0 && 2 * even > count) return ByteOrder::kBig;
    return std::nullopt;
}

void append_utf8(std::string& text, char32_t letter) {
    const auto byte = [&text](char32_t value) { text += static_cast<char>(static_cast<unsigned char>(value)); };
    if (letter < 0x80) return byte(letter);
    if (letter < 0x800) {
        byte(0xc0 | (letter >> 6));
    } else if (letter < 0x10000) {
        byte(0xe0 | (letter >> 12));
        byte(0x80 | ((letter >> 6) & 0x3f));
    } else {
        byte(0xf0 | (letter >> 18));
        byte(0x80 | ((letter >> 12) & 0x3f));
        byte(0x80 | ((letter >> 6) & 0x3f));
    }
    byte(0x80 | (letter & 0x3f));
}

std::string utf8_of_utf16(std::string_view bytes, ByteOrder order) {
    constexpr char32_t kReplacement = 0xfffd;
    const std::size_t count = bytes.size() / 2;
    const auto unit = [&](std::size_t index) -> char32_t {
        const auto first = static_cast<unsigned char>(bytes[2 * index]);
        const auto second = static_cast<unsigned char>(bytes[2 * index + 1]);
        return static_cast<char32_t>(order == ByteOrder::kLittle ? first | second << 8 : first << 8 | second);
    };
    std::string text;
    text.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        char32_t letter = unit(i);
        const bool high = letter >= 0xd800 && letter < 0xdc00;
        const char32_t next = high && i + 1 < count ? unit(i + 1) : 0;
        if (next >= 0xdc00 && next < 0xe000) {
            letter = 0x10000 + ((letter - 0xd800) << 10) + (next - 0xdc00);
            ++i;
        } else if (letter >= 0xd800 && letter < 0xe000) {
            letter = kReplacement;
        }
        append_utf8(text, letter);
    }
    if (bytes.size() % 2 != 0) append_utf8(text, kReplacement);
    return text;
}

}  // namespace

std::string_view as_utf8(std::string_view bytes, std::string& storage) {
    std::string_view text = bytes;
    if (const auto order = utf16_order(bytes)) {
        storage = utf8_of_utf16(bytes, *order);
        text = storage;
    }
    return text.starts_with(kByteOrderMark) ? text.substr(kByteOrderMark.size()) : text;
}

}  // namespace heapwright
