#include <algorithm>
#include <span>

#include <catch2/catch_test_macros.hpp>

#include "d3d12/dxbc_assembler.hpp"
#include "d3d12/programs.hpp"
#include "d3d12/transform_programs.hpp"

namespace heapwright::d3d12::dxbc {
namespace {

struct Instruction {
    Opcode opcode = Opcode::kRet;
    std::uint32_t controls = 0;           // opcode specific
    std::vector<std::uint32_t> operands;  // words behind the opcode token

    friend bool operator==(const Instruction&, const Instruction&) = default;
};

// The chunks of a container, whose header, offsets and checksum are right; else the test ends.
std::vector<Chunk> chunks_of(std::span<const std::uint32_t> container) {
    REQUIRE(container.size() >= 8);
    CHECK(container[0] == tag("DXBC"));
    const Checksum sum = checksum(std::as_bytes(container.subspan(5)));
    CHECK(std::equal(sum.begin(), sum.end(), container.begin() + 1));
    CHECK(container[5] == 1);  // the version
    CHECK(container[6] == container.size_bytes());
    const std::size_t count = container[7];
    REQUIRE(count <= container.size() - 8);
    std::vector<Chunk> chunks;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t offset = container[8 + i];
        REQUIRE(offset % 4 == 0);
        REQUIRE(offset / 4 + 2 <= container.size());
        const std::span rest = container.subspan(offset / 4);
        REQUIRE(rest[1] % 4 == 0);
        REQUIRE(rest[1] / 4 <= rest.size() - 2);
        const std::span words = rest.subspan(2, rest[1] / 4);
        chunks.push_back({.tag = rest[0], .words = {words.begin(), words.end()}});
    }
    return chunks;
}

// The words of a cs_5_0 program as instructions.
std::vector<Instruction> instructions_of(std::span<const std::uint32_t> shex) {
    REQUIRE(shex.size() >= 2);
    REQUIRE(shex[0] == 0x00050050);
    REQUIRE(shex[1] == shex.size());
    std::vector<Instruction> instructions;
    for (std::size_t at = 2; at < shex.size();) {
        const std::uint32_t length = shex[at] >> 24 & 0x7f;
        REQUIRE(length != 0);
        REQUIRE(length <= shex.size() - at);
        const std::span operands = shex.subspan(at + 1, length - 1);
        instructions.push_back({.opcode = static_cast<Opcode>(shex[at] & 0x7ff),
                                .controls = shex[at] >> 11 & 0x1fff,
                                .operands = {operands.begin(), operands.end()}});
        at += length;
    }
    return instructions;
}

TEST_CASE("the checksum is MD5 but for the padding of the last block") {
    // Whole blocks are MD5's: a message that ends where a block ends differs from MD5 in the padding block alone, which
    // begins with the bit count instead of 0x80 and ends with a quarter of it.
    const Checksum empty = checksum({});
    CHECK(empty != Checksum{0xd98c1dd4, 0x04b2008f, 0x980980e9, 0x7e42f8ec});  // MD5 of nothing
    // Every length of the last block, over the border at 56 bytes and the next block.
    std::vector<Checksum> seen;
    for (std::size_t length = 0; length < 140; ++length) {
        const Checksum sum = checksum(std::vector<std::byte>(length, std::byte{'a'}));
        CHECK(std::find(seen.begin(), seen.end(), sum) == seen.end());
        seen.push_back(sum);
    }
}

TEST_CASE("the program's container carries the checksum that other tools compute") {
    // Computed by an implementation that agrees with containers of Microsoft's compiler.
    const std::vector<std::uint32_t> container = read_tables_bytecode();
    REQUIRE(container.size() == 179);
    CHECK(container[0] == tag("DXBC"));
    CHECK(std::vector(container.begin() + 1, container.begin() + 5) ==
          std::vector<std::uint32_t>{0x29dfce10, 0x8ccc8d83, 0xef850f5b, 0x9f4db7dc});
}

TEST_CASE("a container is taken apart into the chunks that it was made of") {
    const std::vector<Chunk> chunks{
        {tag("ISGN"), {0, 8}}, {tag("SHEX"), {1, 2, 3, 4, 5}}, {tag("XTRA"), {}}, {tag("STAT"), {7}}};
    const std::vector<std::uint32_t> container = build_container(chunks);
    CHECK(chunks_of(container) == chunks);
}

TEST_CASE("the program decodes into the instructions that it was assembled from") {
    const std::vector<Chunk> chunks = chunks_of(read_tables_bytecode());
    REQUIRE(chunks.size() == 3);
    CHECK(chunks[0].tag == tag("ISGN"));
    CHECK(chunks[1].tag == tag("OSGN"));
    REQUIRE(chunks[2].tag == tag("SHEX"));
    std::vector<Opcode> opcodes;
    for (const Instruction& instruction : instructions_of(chunks[2].words)) opcodes.push_back(instruction.opcode);
    CHECK(opcodes == std::vector<Opcode>{Opcode::kDclGlobalFlags,
                                         Opcode::kDclConstantBuffer,
                                         Opcode::kDclConstantBuffer,
                                         Opcode::kDclConstantBuffer,
                                         Opcode::kDclSampler,
                                         Opcode::kDclResourceRaw,
                                         Opcode::kDclResource,
                                         Opcode::kDclResourceRaw,
                                         Opcode::kDclUavRaw,
                                         Opcode::kDclTemps,
                                         Opcode::kDclThreadGroup,
                                         Opcode::kMov,
                                         Opcode::kLdRaw,
                                         Opcode::kMov,
                                         Opcode::kLdRaw,
                                         Opcode::kSampleL,
                                         Opcode::kMad,
                                         Opcode::kFtou,
                                         Opcode::kIshl,
                                         Opcode::kOr,
                                         Opcode::kOr,
                                         Opcode::kOr,
                                         Opcode::kIshl,
                                         Opcode::kIadd,
                                         Opcode::kStoreRaw,
                                         Opcode::kStoreRaw,
                                         Opcode::kRet});
}

TEST_CASE("operands are encoded as the format says") {
    Assembler program;
    program.declare_constant_buffer(3, 2);
    program.declare_texture_2d(4);
    program.emit(Opcode::kMov, {temp_mask(7, kMaskX), constant(3, kZ)});
    program.emit(Opcode::kMad, {temp_mask(1, kMaskAll), temp(2), immediate(1.0f, 2.0f, 0.0f, -1.0f), temp(5, kW)});
    program.emit(Opcode::kStoreRaw, {uav_mask(6, kMaskAll), immediate(16u), temp(0)});
    program.emit(Opcode::kRet);
    const std::vector<Instruction> expected{
        {Opcode::kDclGlobalFlags, 1, {}},
        {Opcode::kDclConstantBuffer, 0, {0x00208e46, 3, 2}},
        {Opcode::kDclResource, 3, {0x00107000, 4, 0x5555}},
        {Opcode::kMov, 0, {0x00100012, 7, 0x0020802a, 3, 0}},
        {Opcode::kMad,
         0,
         {0x001000f2, 1, 0x00100e46, 2, 0x00004002, 0x3f800000, 0x40000000, 0, 0xbf800000, 0x0010003a, 5}},
        {Opcode::kStoreRaw, 0, {0x0011e0f2, 6, 0x00004001, 16, 0x00100e46, 0}},
        {Opcode::kRet, 0, {}}};
    CHECK(instructions_of(chunks_of(program.finish()).back().words) == expected);
}

TEST_CASE("a transform's program loops, tests and reads its thread's number as the format says") {
    Assembler program;
    program.declare_thread_id(3);
    program.emit(Opcode::kImad, {temp_mask(0, kMaskX), thread_id(kY), immediate(5u), thread_id(kX)});
    program.emit(Opcode::kLdRaw, {temp_mask(1, kMaskX), temp(0, kX), uav_x(2)});
    program.emit_if_nonzero(Opcode::kBreakc, temp(0, kW));
    // Tokens as Microsoft's compiler writes them: vThreadID.xy, vThreadID.y, breakc_nz.
    const std::vector<Instruction> expected{{Opcode::kDclGlobalFlags, 1, {}},
                                            {Opcode::kDclInput, 0, {0x00020032}},
                                            {Opcode::kImad, 0, {0x00100012, 0, 0x0002001a, 0x00004001, 5, 0x0002000a}},
                                            {Opcode::kLdRaw, 0, {0x00100012, 1, 0x0010000a, 0, 0x0011e006, 2}},
                                            {Opcode::kBreakc, 0x80, {0x0010003a, 0}}};
    CHECK(instructions_of(chunks_of(program.finish()).back().words) == expected);

    for (const bool in_place : {false, true}) {
        const std::vector<Instruction> instructions =
            instructions_of(chunks_of(transform_bytecode(in_place)).back().words);
        const auto count = [&](Opcode opcode) {
            return std::ranges::count(instructions, opcode, &Instruction::opcode);
        };
        CHECK(count(Opcode::kDclResourceRaw) == (in_place ? 0 : 1));
        CHECK(count(Opcode::kIf) == count(Opcode::kEndIf));
        CHECK(count(Opcode::kLoop) == 1);
        CHECK(count(Opcode::kEndLoop) == 1);
        CHECK(instructions.back().opcode == Opcode::kRet);
    }
}

}  // namespace
}  // namespace heapwright::d3d12::dxbc
