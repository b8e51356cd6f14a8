// What each example must leave behind, written down by hand from the document's description and from nothing that the
// example told its conductor but one thing: which values the host had seen on its fences when it told a queue to draw.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engines/examples.hpp"
#include "engines/program_memory.hpp"

namespace heapwright::test {

using Words = std::vector<std::uint32_t>;

// The pictures in their order, those that were never drawn at the end or between included.
[[nodiscard]] std::vector<Words> expected_pictures(const engines::Example& example,
                                                   const engines::ExampleSettings& settings,
                                                   const engines::EngineProgram& program);

// What streaming leaves in the buffer of assets.
[[nodiscard]] std::vector<Words> expected_assets(const engines::ExampleSettings& settings,
                                                 const engines::EngineProgram& program);

// What an example that decides has shown when it ends: the version of its last frame or job.
[[nodiscard]] Words expected_last_version(const engines::Example& example, const engines::EngineProgram& program);

// Of the buffer of this name, in pieces.
[[nodiscard]] std::vector<Words> pieces_of(const engines::EngineProgram& program, const engines::HostMemory& memory,
                                           std::string_view name, std::uint64_t piece_bytes);

}  // namespace heapwright::test
