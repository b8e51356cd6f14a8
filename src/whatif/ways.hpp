// The rows of a what-if: which ways to allocate there are, and what a command line calls them.
//   vma-default      the Vulkan Memory Allocator as it comes
//   vma:SIZE         the same with preferredLargeHeapBlockSize
//   d3d12ma-default  the D3D12 Memory Allocator as it comes
//   fixed:SIZE       the policy's buckets with chunks of one size, taken when a request needs one; above half a chunk
//                    memory of its own
//   article          the rule of "Vulkan Memory Allocation (Part 1 of N)"
//   one-each         a device allocation for every resource
//   as-dumped        what the dump says that the program itself had
// A change of a policy, and several with commas between:
//   chunk=SIZE         the size of every chunk, and where chunks grow of the largest
//   first-chunk=SIZE   what growing begins with; "off": chunks do not grow
//   dedicated=SIZE     above it a resource has memory of its own; "off": by size none has
//   humongous=SIZE     above it a request is humongous
//   ahead=COUNT        chunks that are kept ready
// A sweep: chunk=1MiB..256MiB, of any size above, by doubling. Pure and thread-safe. Errors: kInvalidArgument with the
// word and the nearest one, kOutOfRange for a size of 0.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/workload.hpp"
#include "whatif/player.hpp"

namespace heapwright::whatif {

struct Way {
    enum class Kind : std::uint8_t { kPolicy, kVma, kD3d12ma, kOneEach, kAsDumped };

    std::string name;
    std::string how;  // one sentence
    Kind kind = Kind::kPolicy;
    std::shared_ptr<const model::DevicePolicy> policy;  // others than kPolicy take its order of memory types
    std::uint64_t block_bytes = 0;                      // of kVma
    std::string not_played;                             // why it cannot be; empty: it can
};

[[nodiscard]] std::span<const std::string_view> rule_names();  // "vma:SIZE"

[[nodiscard]] Way way_of_policy(std::string name, std::string how, model::DevicePolicy policy);
// `base`: whose memory types and buckets the rule takes.
[[nodiscard]] Result<Way> way_of_rule(std::string_view rule, const model::DeviceReport& facts,
                                      const model::Workload& workload, const Way& base);
[[nodiscard]] Result<Way> way_of_change(std::string_view changes, const Way& base);

struct SweptWays {
    std::string setting;
    std::vector<std::uint64_t> sizes;
    std::vector<Way> ways;  // one a size
};
[[nodiscard]] Result<SweptWays> ways_of_sweep(std::string_view sweep, const Way& base);

// Errors: the policy does not fit the device. kAsDumped is not played.
[[nodiscard]] Result<std::unique_ptr<Player>> make_player(const Way& way, const Stage& stage);

}  // namespace heapwright::whatif
