// What recorded commands keep until they are done: small descriptor sets, and objects that must not end before.
// One for each command allocator; one thread at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "heapwright_generated/volk.hpp"

#include "heapwright/core/result.hpp"
#include "vulkan/open_device.hpp"

namespace heapwright::vulkan {

class RecordingArena {
public:
    explicit RecordingArena(const OpenDevice& context) : context_(context) {}
    RecordingArena(const RecordingArena&) = delete;
    RecordingArena& operator=(const RecordingArena&) = delete;
    ~RecordingArena();

    // A set of one of the layouts for tables. Errors: the driver's own.
    [[nodiscard]] Result<VkDescriptorSet> allocate(VkDescriptorSetLayout layout);

    void keep(std::shared_ptr<const void> object) { kept_.push_back(std::move(object)); }

    // The commands are done: sets are used again, objects let go.
    void reset();

private:
    [[nodiscard]] Status add_pool();

    const OpenDevice& context_;
    std::vector<VkDescriptorPool> pools_;
    std::size_t current_ = 0;
    std::vector<std::shared_ptr<const void>> kept_;
};

}  // namespace heapwright::vulkan
