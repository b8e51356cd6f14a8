// Fills resources on the device, reads them back and says what foreign bytes are: the poison or pattern of a released
// resource (stale), the pattern of one that is alive (overlap), or bytes of unknown origin (stale too: they are not
// what was written last). Not thread-safe. Errors: the work queue's own.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "device/device.hpp"
#include "device/submitter.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/resource.hpp"
#include "validate/finding_log.hpp"
#include "validate/pattern.hpp"
#include "validate/work_queue.hpp"

namespace heapwright::validate {

// What a resource is filled with and how that is checked: a list of parts that cover a buffer or an image, each with
// the pattern that it must hold. Computed from (seed, serial, description) alone, so that nothing needs to be kept
// between the filling and the check. Sizes in bytes. Pure; thread-safe.

struct ContentPart {
    std::uint64_t offset_bytes = 0;          // buffers
    device::ImageSubresource subresource{};  // images
    std::uint64_t size_bytes = 0;            // images: packed, as a copy to a buffer writes it
    Pattern pattern;
};

struct Content {
    // Images: one clear writes every part whose pattern repeats.
    std::optional<ClearPattern> clear;
    // Buffers: in order of offset, covering all of it; repeating ones are written by FillBuffer. Images: all of it,
    // save the stencil where the device does not copy it.
    std::vector<ContentPart> parts;
    // False: the API has no copy that would show the bytes (multisampled, no transfer usage), or they exceed the
    // staging memory; `parts` is empty.
    bool is_verifiable = true;
};

struct CopyLimits {
    std::uint64_t largest_upload_bytes = 0;    // of a part that the host writes
    std::uint64_t largest_readback_bytes = 0;  // of a part of an image
    bool stencil = true;                       // see device::copies_stencil()
};

[[nodiscard]] Content content_of(const model::ResourceDescription& description, std::uint64_t seed,
                                 std::uint64_t serial, const CopyLimits& limits);

inline constexpr std::uint32_t kPoisonWord = 0xDEADBEEFu;

class ContentDriver {
public:
    // Poisoning costs as much as filling; above this it is left out.
    static constexpr std::uint64_t kLargestPoisonedBytes = 1 << 18;

    // The queue and the log outlive it. The queue is made with a mismatch handler that calls report().
    ContentDriver(std::uint64_t seed, FindingLog& log) : seed_(seed), log_(log) {}
    void use(WorkQueue& queue) { queue_ = &queue; }

    // Whether the bytes can be checked; false: filled where possible, never compared.
    [[nodiscard]] Result<bool> fill(std::uint64_t serial, const model::ResourceDescription& description,
                                    device::ResourceId resource);
    // Records the read-back; the comparison comes when its submission has completed.
    [[nodiscard]] Status verify(std::uint64_t serial, device::ResourceId resource);
    void poison(std::uint64_t serial, device::ResourceId resource);
    void forget(std::uint64_t serial);

    void report(const PendingCheck& check, const Mismatch& mismatch);

    [[nodiscard]] std::uint64_t verified_resources() const { return verified_resources_; }

private:
    struct Known {
        model::ResourceDescription description;
        bool is_alive = true;
        bool is_reported = false;
    };

    [[nodiscard]] Content content(std::uint64_t serial, const model::ResourceDescription& description) const;
    [[nodiscard]] Status fill_buffer(const Content& content, device::ResourceId resource);
    [[nodiscard]] Status fill_image(const Content& content, device::ResourceId resource);
    [[nodiscard]] Status verify_buffer(std::uint64_t serial, const Content& content, device::ResourceId resource);
    [[nodiscard]] Status verify_image(std::uint64_t serial, const Content& content, device::ResourceId resource);

    std::uint64_t seed_;
    FindingLog& log_;
    WorkQueue* queue_ = nullptr;
    std::unordered_map<std::uint64_t, Known> known_;                  // by serial, released ones too
    std::unordered_map<std::uint32_t, std::uint64_t> owner_of_word_;  // repeated words -> serial
    std::uint64_t verified_resources_ = 0;
};

}  // namespace heapwright::validate
