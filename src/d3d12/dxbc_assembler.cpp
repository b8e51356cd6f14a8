#include "d3d12/dxbc_assembler.hpp"

#include <bit>
#include <utility>

#include <fmt/format.h>

namespace heapwright::d3d12::dxbc {
namespace {

constexpr std::uint32_t kComputeProgram50 = 5u << 16 | 5u << 4;
constexpr std::uint32_t kLengthShift = 24;
constexpr std::uint32_t kLengthMask = 0x7f;
constexpr std::uint32_t kControlsShift = 11;
constexpr std::uint32_t kControlsMask = 0x1fff;
constexpr std::uint32_t kOpcodeMask = 0x7ff;

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

Result<std::vector<Instruction>> disassemble(std::span<const std::uint32_t> shex) {
    const auto broken = [](std::string message, std::size_t word) {
        return fail(
            {.code = ErrorCode::kParseError, .message = std::move(message), .where = "SHEX", .value = word * 4});
    };
    if (shex.size() < 2 || shex[0] != kComputeProgram50) return broken("no cs_5_0 program", 0);
    if (shex[1] != shex.size()) return broken(fmt::format("a length of {} words", shex[1]), 1);
    std::vector<Instruction> instructions;
    for (std::size_t at = 2; at < shex.size();) {
        const std::uint32_t first = shex[at];
        const std::uint32_t length = first >> kLengthShift & kLengthMask;
        if (length == 0 || length > shex.size() - at) {
            return broken(fmt::format("an instruction of {} words", length), at);
        }
        const std::span operands = shex.subspan(at + 1, length - 1);
        instructions.push_back({.opcode = static_cast<Opcode>(first & kOpcodeMask),
                                .controls = first >> kControlsShift & kControlsMask,
                                .operands = {operands.begin(), operands.end()}});
        at += length;
    }
    return instructions;
}

}  // namespace heapwright::d3d12::dxbc
