#include "d3d12/dxbc_assembler.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace heapwright::d3d12::dxbc {

namespace {

constexpr std::uint32_t kComputeProgram50 = 5u << 16 | 5u << 4;
constexpr std::uint32_t kLengthShift = 24;
constexpr std::uint32_t kControlsShift = 11;

constexpr std::uint32_t kRefactoringAllowed = 1;
constexpr std::uint32_t kTestNonzero = 1u << 7;  // of an instruction's controls
constexpr std::uint32_t kDimensionTexture2d = 3;
constexpr std::uint32_t kFloatComponents = 0x5555;

// Operand tokens.
enum class Register : std::uint32_t {
    kTemp = 0,
    kImmediate32 = 4,
    kSampler = 6,
    kResource = 7,
    kConstantBuffer = 8,
    kUav = 0x1e,
    kThreadId = 0x20
};

constexpr std::uint32_t kOneComponent = 1;
constexpr std::uint32_t kFourComponents = 2;
constexpr std::uint32_t kSwizzleMode = 1u << 2;
constexpr std::uint32_t kSelectMode = 2u << 2;
constexpr std::uint32_t kIdentity = 0xe4;  // .xyzw

// `components`: bits 0 to 11 of the token.
constexpr std::uint32_t token(Register type, std::uint32_t components, std::uint32_t index_dimension) {
    return components | static_cast<std::uint32_t>(type) << 12 | index_dimension << 20;
}

constexpr std::uint32_t masked(std::uint32_t mask) {
    return kFourComponents | mask << 4;
}
constexpr std::uint32_t swizzled(std::uint32_t swizzle) {
    return kFourComponents | kSwizzleMode | swizzle << 4;
}
constexpr std::uint32_t selected(std::uint32_t component) {
    return kFourComponents | kSelectMode | component << 4;
}

Operand indexed(Register type, std::uint32_t components, std::uint32_t index) {
    return {.words = {token(type, components, 1), index}, .count = 2};
}

}  // namespace

Operand temp_mask(std::uint32_t index, std::uint32_t mask) {
    return indexed(Register::kTemp, masked(mask), index);
}
Operand uav_mask(std::uint32_t index, std::uint32_t mask) {
    return indexed(Register::kUav, masked(mask), index);
}
Operand temp(std::uint32_t index) {
    return indexed(Register::kTemp, swizzled(kIdentity), index);
}
Operand temp(std::uint32_t index, std::uint32_t component) {
    return indexed(Register::kTemp, selected(component), index);
}
Operand constant(std::uint32_t buffer, std::uint32_t component) {
    return {.words = {token(Register::kConstantBuffer, selected(component), 2), buffer, 0}, .count = 3};
}
Operand resource(std::uint32_t index) {
    return indexed(Register::kResource, swizzled(kIdentity), index);
}
Operand resource_x(std::uint32_t index) {
    return indexed(Register::kResource, swizzled(0), index);
}
Operand uav_x(std::uint32_t index) {
    return indexed(Register::kUav, swizzled(0), index);
}
Operand thread_id(std::uint32_t component) {
    return {.words = {token(Register::kThreadId, selected(component), 0)}, .count = 1};
}
Operand sampler(std::uint32_t index) {
    return indexed(Register::kSampler, 0, index);
}
Operand immediate(std::uint32_t value) {
    return {.words = {token(Register::kImmediate32, kOneComponent, 0), value}, .count = 2};
}
Operand immediate(std::uint32_t x, std::uint32_t y, std::uint32_t z, std::uint32_t w) {
    return {.words = {token(Register::kImmediate32, kFourComponents, 0), x, y, z, w}, .count = 5};
}
Operand immediate(float x, float y, float z, float w) {
    const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
    return immediate(bits(x), bits(y), bits(z), bits(w));
}

void Assembler::declare(Opcode opcode, std::uint32_t controls, std::initializer_list<std::uint32_t> words) {
    tokens_.push_back(static_cast<std::uint32_t>(opcode) | controls << kControlsShift |
                      static_cast<std::uint32_t>(1 + words.size()) << kLengthShift);
    tokens_.insert(tokens_.end(), words);
}

void Assembler::declare_constant_buffer(std::uint32_t index, std::uint32_t vectors) {
    declare(Opcode::kDclConstantBuffer, 0, {token(Register::kConstantBuffer, swizzled(kIdentity), 2), index, vectors});
}
void Assembler::declare_sampler(std::uint32_t index) {
    declare(Opcode::kDclSampler, 0, {token(Register::kSampler, 0, 1), index});
}
void Assembler::declare_raw_buffer(std::uint32_t index) {
    declare(Opcode::kDclResourceRaw, 0, {token(Register::kResource, 0, 1), index});
}
void Assembler::declare_texture_2d(std::uint32_t index) {
    declare(Opcode::kDclResource, kDimensionTexture2d, {token(Register::kResource, 0, 1), index, kFloatComponents});
}
void Assembler::declare_raw_uav(std::uint32_t index) {
    declare(Opcode::kDclUavRaw, 0, {token(Register::kUav, 0, 1), index});
}
void Assembler::declare_thread_id(std::uint32_t mask) {
    declare(Opcode::kDclInput, 0, {token(Register::kThreadId, masked(mask), 0)});
}
void Assembler::declare_temps(std::uint32_t count) {
    declare(Opcode::kDclTemps, 0, {count});
}
void Assembler::declare_thread_group(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    declare(Opcode::kDclThreadGroup, 0, {x, y, z});
}

void Assembler::emit(Opcode opcode, std::initializer_list<Operand> operands) {
    std::uint32_t length = 1;
    for (const Operand& operand : operands) length += operand.count;
    tokens_.push_back(static_cast<std::uint32_t>(opcode) | length << kLengthShift);
    for (const Operand& operand : operands) {
        tokens_.insert(tokens_.end(), operand.words.begin(), operand.words.begin() + operand.count);
    }
}

void Assembler::emit_if_nonzero(Opcode opcode, const Operand& operand) {
    const std::size_t first = tokens_.size();
    emit(opcode, {operand});
    tokens_[first] |= kTestNonzero << kControlsShift;
}

std::vector<std::uint32_t> Assembler::finish() {
    std::vector<std::uint32_t> shex{kComputeProgram50, static_cast<std::uint32_t>(3 + tokens_.size()),
                                    static_cast<std::uint32_t>(Opcode::kDclGlobalFlags) |
                                        kRefactoringAllowed << kControlsShift | 1u << kLengthShift};
    shex.insert(shex.end(), tokens_.begin(), tokens_.end());
    tokens_.clear();
    // A compute program has no inputs or outputs: no elements, the first of which would lie at byte 8.
    const Chunk chunks[] = {{tag("ISGN"), {0, 8}}, {tag("OSGN"), {0, 8}}, {tag("SHEX"), std::move(shex)}};
    return build_container(chunks);
}

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

}  // namespace heapwright::d3d12::dxbc
