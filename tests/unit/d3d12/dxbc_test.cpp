#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "d3d12/dxbc_assembler.hpp"
#include "d3d12/programs.hpp"
#include "d3d12/transform_programs.hpp"

namespace heapwright::d3d12::dxbc {
namespace {

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
    const auto parsed = parse_container(container);
    REQUIRE(parsed);
    CHECK(*parsed == chunks);

    // Every single changed bit is seen.
    for (std::size_t word = 0; word < container.size(); ++word) {
        auto changed = container;
        changed[word] ^= 1u << (word % 32);
        CAPTURE(word);
        CHECK_FALSE(parse_container(changed));
    }
    for (std::size_t length = 0; length < container.size(); ++length) {
        CHECK_FALSE(parse_container(std::span(container).first(length)));
    }
}

TEST_CASE("the program decodes into the instructions that it was assembled from") {
    const auto chunks = parse_container(read_tables_bytecode());
    REQUIRE(chunks);
    REQUIRE(chunks->size() == 3);
    CHECK((*chunks)[0].tag == tag("ISGN"));
    CHECK((*chunks)[1].tag == tag("OSGN"));
    REQUIRE((*chunks)[2].tag == tag("SHEX"));
    const auto instructions = disassemble((*chunks)[2].words);
    REQUIRE(instructions);
    std::vector<Opcode> opcodes;
    for (const Instruction& instruction : *instructions) opcodes.push_back(instruction.opcode);
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
    const auto chunks = parse_container(program.finish());
    REQUIRE(chunks);
    const auto decoded = disassemble(chunks->back().words);
    REQUIRE(decoded);
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
    CHECK(*decoded == expected);
}

TEST_CASE("a transform's program loops, tests and reads its thread's number as the format says") {
    Assembler program;
    program.declare_thread_id(3);
    program.emit(Opcode::kImad, {temp_mask(0, kMaskX), thread_id(kY), immediate(5u), thread_id(kX)});
    program.emit(Opcode::kLdRaw, {temp_mask(1, kMaskX), temp(0, kX), uav_x(2)});
    program.emit_if_nonzero(Opcode::kBreakc, temp(0, kW));
    const auto chunks = parse_container(program.finish());
    REQUIRE(chunks);
    const auto decoded = disassemble(chunks->back().words);
    REQUIRE(decoded);
    // Tokens as Microsoft's compiler writes them: vThreadID.xy, vThreadID.y, breakc_nz.
    const std::vector<Instruction> expected{{Opcode::kDclGlobalFlags, 1, {}},
                                            {Opcode::kDclInput, 0, {0x00020032}},
                                            {Opcode::kImad, 0, {0x00100012, 0, 0x0002001a, 0x00004001, 5, 0x0002000a}},
                                            {Opcode::kLdRaw, 0, {0x00100012, 1, 0x0010000a, 0, 0x0011e006, 2}},
                                            {Opcode::kBreakc, 0x80, {0x0010003a, 0}}};
    CHECK(*decoded == expected);

    for (const bool in_place : {false, true}) {
        const auto parts = parse_container(transform_bytecode(in_place));
        REQUIRE(parts);
        const auto instructions = disassemble(parts->back().words);
        REQUIRE(instructions);
        const auto count = [&](Opcode opcode) {
            return std::ranges::count(*instructions, opcode, &Instruction::opcode);
        };
        CHECK(count(Opcode::kDclResourceRaw) == (in_place ? 0 : 1));
        CHECK(count(Opcode::kIf) == count(Opcode::kEndIf));
        CHECK(count(Opcode::kLoop) == 1);
        CHECK(count(Opcode::kEndLoop) == 1);
        CHECK(instructions->back().opcode == Opcode::kRet);
    }
}

TEST_CASE("a broken program is refused with the place") {
    const auto chunks = parse_container(read_tables_bytecode());
    REQUIRE(chunks);
    const std::vector<std::uint32_t> good = chunks->back().words;
    auto other_stage = good;
    other_stage[0] = 0x00000050;
    CHECK_FALSE(disassemble(other_stage));
    auto too_long = good;
    too_long.back() |= 2u << 24;
    CHECK_FALSE(disassemble(too_long));
    auto of_no_words = good;
    of_no_words[2] &= ~(0x7fu << 24);
    const auto refused = disassemble(of_no_words);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kParseError);
    CHECK(refused.error().value == 8);
    CHECK_FALSE(disassemble(std::span(good).first(good.size() - 1)));
    CHECK_FALSE(disassemble({}));
}

}  // namespace
}  // namespace heapwright::d3d12::dxbc
