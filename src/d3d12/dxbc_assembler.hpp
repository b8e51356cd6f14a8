// Shader model 5 compute programs, token by token: declarations and instructions become a SHEX chunk, and that with
// empty signatures a container. Only what the project's programs use.
// Pure. Source: the Direct3D 11.3 functional specification's tokenized program format
// (d3d11TokenizedProgramFormat.hpp).
// Beside it: the container that holds a program.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace heapwright::d3d12::dxbc {

// DXBC containers, in which Direct3D takes shader bytecode: chunks behind a header with a checksum of the rest.
// Pure.
// Source: Direct3D 11.3 functional specification and its published shader headers; the checksum is MD5 with another
// padding of the last block, which runtimes other than vkd3d refuse a container without.

// Four characters, the first in the lowest byte.
[[nodiscard]] constexpr std::uint32_t tag(const char (&name)[5]) {
    std::uint32_t value = 0;
    for (std::uint32_t i = 0; i < 4; ++i) value |= static_cast<std::uint32_t>(name[i]) << (8 * i);
    return value;
}

struct Chunk {
    std::uint32_t tag = 0;
    std::vector<std::uint32_t> words;

    friend bool operator==(const Chunk&, const Chunk&) = default;
};

using Checksum = std::array<std::uint32_t, 4>;

// Of the bytes behind the checksum of a container's header.
[[nodiscard]] Checksum checksum(std::span<const std::byte> bytes);

[[nodiscard]] std::vector<std::uint32_t> build_container(std::span<const Chunk> chunks);

enum class Opcode : std::uint32_t {
    kBreakc = 0x03,
    kEndIf = 0x15,
    kEndLoop = 0x16,
    kFtou = 0x1c,
    kIadd = 0x1e,
    kIf = 0x1f,
    kImad = 0x23,
    kIshl = 0x29,
    kLoop = 0x30,
    kMad = 0x32,
    kMov = 0x36,
    kOr = 0x3c,
    kRet = 0x3e,
    kSampleL = 0x48,
    kUlt = 0x4f,
    kUge = 0x50,
    kXor = 0x57,
    kDclResource = 0x58,
    kDclConstantBuffer = 0x59,
    kDclSampler = 0x5a,
    kDclInput = 0x5f,
    kDclTemps = 0x68,
    kDclGlobalFlags = 0x6a,
    kDclThreadGroup = 0x9b,
    kDclUavRaw = 0x9d,
    kDclResourceRaw = 0xa1,
    kLdRaw = 0xa5,
    kStoreRaw = 0xa6,
};

// Components x, y, z, w are 0 to 3.
inline constexpr std::uint32_t kX = 0;
inline constexpr std::uint32_t kY = 1;
inline constexpr std::uint32_t kZ = 2;
inline constexpr std::uint32_t kW = 3;
inline constexpr std::uint32_t kMaskX = 1;
inline constexpr std::uint32_t kMaskAll = 15;

// A register with its components, encoded.
struct Operand {
    std::array<std::uint32_t, 5> words{};
    std::uint32_t count = 0;
};

// Destinations: the components of `mask` are written.
[[nodiscard]] Operand temp_mask(std::uint32_t index, std::uint32_t mask);
[[nodiscard]] Operand uav_mask(std::uint32_t index, std::uint32_t mask);
// Sources.
[[nodiscard]] Operand temp(std::uint32_t index);                                // .xyzw
[[nodiscard]] Operand temp(std::uint32_t index, std::uint32_t component);       // one component
[[nodiscard]] Operand constant(std::uint32_t buffer, std::uint32_t component);  // of the buffer's first vector
[[nodiscard]] Operand resource(std::uint32_t index);                            // .xyzw
[[nodiscard]] Operand resource_x(std::uint32_t index);                          // .xxxx
[[nodiscard]] Operand uav_x(std::uint32_t index);                               // .xxxx
[[nodiscard]] Operand sampler(std::uint32_t index);
[[nodiscard]] Operand thread_id(std::uint32_t component);  // of all threads of the dispatch
[[nodiscard]] Operand immediate(std::uint32_t value);
[[nodiscard]] Operand immediate(std::uint32_t x, std::uint32_t y, std::uint32_t z, std::uint32_t w);
[[nodiscard]] Operand immediate(float x, float y, float z, float w);

class Assembler {
public:
    // Declarations, before the first instruction. `vectors` of 16 bytes.
    void declare_constant_buffer(std::uint32_t index, std::uint32_t vectors);
    void declare_sampler(std::uint32_t index);
    void declare_raw_buffer(std::uint32_t index);
    void declare_texture_2d(std::uint32_t index);  // of floats
    void declare_raw_uav(std::uint32_t index);
    void declare_thread_id(std::uint32_t mask);
    void declare_temps(std::uint32_t count);
    void declare_thread_group(std::uint32_t x, std::uint32_t y, std::uint32_t z);

    void emit(Opcode opcode, std::initializer_list<Operand> operands = {});

    // An instruction that does what it does where the operand is not zero.
    void emit_if_nonzero(Opcode opcode, const Operand& operand);

    // The container of a cs_5_0 program; the assembler is empty after.
    [[nodiscard]] std::vector<std::uint32_t> finish();

private:
    void declare(Opcode opcode, std::uint32_t controls, std::initializer_list<std::uint32_t> words);

    std::vector<std::uint32_t> tokens_;
};

}  // namespace heapwright::d3d12::dxbc
