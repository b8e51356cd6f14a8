// A workload as a scenario plays it: at its own counts and sizes wherever the limit holds them, else a stand-in. For a
// stand-in counts shrink first, all by the same factor and never below one of a hint; where even one of each is too
// much, the largest resources are left out. No resource is ever drawn in another size. Sizes in bytes. Pure.
// Beside it: a resource as a scenario asks for it, and whether a policy holds a workload at its peak.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/resource.hpp"
#include "heapwright/model/validation.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::validate {

struct PopulationLimit {
    std::uint64_t images = 0;
    std::uint64_t buffers = 0;
};

// By model::MemoryUse.
using BytesByUse = std::array<std::uint64_t, 4>;

struct Population {
    model::Workload workload;                // counts as they are played
    std::uint64_t largest_bytes = ~0ull;     // what takes more on the device is left out
    BytesByUse wanted_bytes{};               // of the workload itself at its peak, as the device sizes it
    std::uint64_t expected_bytes = 0;        // of what is played, as the mean of many draws
    std::uint64_t most_bytes = 0;            // the same where chance draws large ones
    std::optional<model::StandIn> stand_in;  // empty: the workload itself
    // Of the workload at its peak, what is played; what the device does not have counts with its packed bytes.
    double bytes_share = 1;
    double resources_share = 1;
    // By hint, images first: the share of all bytes that the device or the limit leaves out, and how many fewer of them
    // the stand-in has.
    std::vector<double> unplayed_bytes_share;
    std::vector<std::uint32_t> fewer;

    [[nodiscard]] std::uint64_t total_wanted_bytes() const {
        return wanted_bytes[0] + wanted_bytes[1] + wanted_bytes[2] + wanted_bytes[3];
    }
};

// Lowers the hints' counts, each by the same factor, until images and buffers are at most these; never below one of a
// hint that has any.
void lower_counts(model::Workload& workload, const PopulationLimit& most);

// What a resource takes on the device: a driver may store it in several times its packed bytes. 0: it has none.
using SizeFunction = std::function<std::uint64_t(const model::ResourceDescription&)>;

// The peak holds what is alive and what waits for the device: a frame's own resources once for each frame in flight and
// the one that is recorded, and the churn of the frames in flight.
// Errors: those of workload::check_workload(); kOutOfRange when no resource fits at all.
[[nodiscard]] Result<Population> fit_population(const model::Workload& workload, std::uint64_t limit_bytes,
                                                const SizeFunction& size_bytes);

// The bytes of the largest subresource that a hint can have, as copies see it.
[[nodiscard]] std::uint64_t largest_subresource_bytes(const model::Workload& workload);

// A resource as a scenario asks for it: with the transfers that the checks need, or as it was where the device has no
// such resource. Errors: the device's own; is_refusal() tells that it has neither from that it could not answer.

struct SupportedResource {
    model::ResourceDescription description;
    std::uint64_t size_bytes = 0;  // as the device requires
};

[[nodiscard]] Result<SupportedResource> supported(device::Device& device,
                                                  const model::ResourceDescription& description);

// The device has no such resource; a replayed report that holds nothing like it says kOutOfRange.
[[nodiscard]] inline bool is_refusal(const Error& error) {
    return error.code == ErrorCode::kNotSupported || error.code == ErrorCode::kOutOfRange;
}

// Whether a policy holds a workload at its peak: no set of memory uses may want more than the usable bytes of all the
// heaps that serve them. Sizes in bytes. Pure.

// In words, what is missing; empty: it fits. A policy that states its capacity speaks for `is_policys_workload`; for
// another one, and where it states none, `wanted_bytes` count.
[[nodiscard]] std::optional<std::string> misfit_of(const model::DevicePolicy& policy, const model::DeviceReport& facts,
                                                   const BytesByUse& wanted_bytes, bool is_policys_workload);

}  // namespace heapwright::validate
