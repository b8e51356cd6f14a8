#include "d3d12/dxbc_container.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

namespace heapwright::d3d12::dxbc {
namespace {

constexpr std::uint32_t kContainerTag = tag("DXBC");
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeaderWords = 8;  // tag, checksum, version, size, chunk count
constexpr std::size_t kBlockBytes = 64;
// The checksum begins behind the tag and itself.
constexpr std::size_t kSummedFrom = 5;

using Block = std::array<std::uint32_t, 16>;

// The constants and rotations of RFC 1321.
constexpr std::uint32_t kSines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
constexpr int kRotations[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

void add_block(Checksum& sum, const Block& block) {
    auto [a, b, c, d] = sum;
    for (std::uint32_t i = 0; i < 64; ++i) {
        std::uint32_t mixed = 0;
        std::uint32_t word = i;
        switch (i / 16) {
            case 0: mixed = (b & c) | (~b & d); break;
            case 1:
                mixed = (d & b) | (~d & c);
                word = 5 * i + 1;
                break;
            case 2:
                mixed = b ^ c ^ d;
                word = 3 * i + 5;
                break;
            default:
                mixed = c ^ (b | ~d);
                word = 7 * i;
                break;
        }
        const std::uint32_t next = b + std::rotl(a + mixed + kSines[i] + block[word % 16], kRotations[i / 16][i % 4]);
        a = d;
        d = c;
        c = b;
        b = next;
    }
    sum[0] += a;
    sum[1] += b;
    sum[2] += c;
    sum[3] += d;
}

tl::unexpected<Error> broken(std::string message, std::size_t word) {
    return fail({.code = ErrorCode::kParseError, .message = std::move(message), .where = "DXBC", .value = word * 4});
}

}  // namespace

Checksum checksum(std::span<const std::byte> bytes) {
    Checksum sum{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    const auto bits = static_cast<std::uint32_t>(bytes.size() * 8);
    Block block{};
    std::size_t at = 0;
    for (; at + kBlockBytes <= bytes.size(); at += kBlockBytes) {
        std::memcpy(block.data(), bytes.data() + at, kBlockBytes);
        add_block(sum, block);
    }
    // MD5 ends with the bit count as 64 bits. Here its low word opens the last block and a variation of it ends it.
    const std::span rest = bytes.subspan(at);
    auto* const block_bytes = reinterpret_cast<std::byte*>(block.data());
    block = {};
    if (rest.size() >= kBlockBytes - 8) {
        std::copy(rest.begin(), rest.end(), block_bytes);
        block_bytes[rest.size()] = std::byte{0x80};
        add_block(sum, block);
        block = {};
    } else {
        std::copy(rest.begin(), rest.end(), block_bytes + 4);
        block_bytes[4 + rest.size()] = std::byte{0x80};
    }
    block[0] = bits;
    block[15] = bits >> 2 | 1;
    add_block(sum, block);
    return sum;
}

std::vector<std::uint32_t> build_container(std::span<const Chunk> chunks) {
    std::vector<std::uint32_t> words(kHeaderWords + chunks.size());
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        words[kHeaderWords + i] = static_cast<std::uint32_t>(words.size() * 4);
        words.push_back(chunks[i].tag);
        words.push_back(static_cast<std::uint32_t>(chunks[i].words.size() * 4));
        words.insert(words.end(), chunks[i].words.begin(), chunks[i].words.end());
    }
    words[0] = kContainerTag;
    words[5] = kVersion;
    words[6] = static_cast<std::uint32_t>(words.size() * 4);
    words[7] = static_cast<std::uint32_t>(chunks.size());
    const Checksum sum = checksum(std::as_bytes(std::span(words).subspan(kSummedFrom)));
    std::copy(sum.begin(), sum.end(), words.begin() + 1);
    return words;
}

Result<std::vector<Chunk>> parse_container(std::span<const std::uint32_t> container) {
    if (container.size() < kHeaderWords || container[0] != kContainerTag) return broken("no DXBC header", 0);
    if (container[5] != kVersion) return broken(fmt::format("version {}", container[5]), 5);
    if (container[6] != container.size_bytes()) return broken(fmt::format("a size of {} bytes", container[6]), 6);
    const Checksum sum = checksum(std::as_bytes(container.subspan(kSummedFrom)));
    if (!std::equal(sum.begin(), sum.end(), container.begin() + 1)) return broken("the checksum is wrong", 1);
    const std::size_t count = container[7];
    if (count > container.size() - kHeaderWords) return broken(fmt::format("{} chunks", count), 7);
    std::vector<Chunk> chunks;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t offset = container[kHeaderWords + i];
        if (offset % 4 != 0 || offset / 4 + 2 > container.size()) {
            return broken(fmt::format("chunk {} lies at {}", i, offset), kHeaderWords + i);
        }
        const std::span rest = container.subspan(offset / 4);
        if (rest[1] % 4 != 0 || rest[1] / 4 > rest.size() - 2) {
            return broken(fmt::format("chunk {} has {} bytes", i, rest[1]), offset / 4 + 1);
        }
        const std::span words = rest.subspan(2, rest[1] / 4);
        chunks.push_back({.tag = rest[0], .words = {words.begin(), words.end()}});
    }
    return chunks;
}

}  // namespace heapwright::d3d12::dxbc
