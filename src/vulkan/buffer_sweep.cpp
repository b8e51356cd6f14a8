#include "vulkan/buffer_sweep.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "probe/cases.hpp"
#include "probe/run_sweep.hpp"

namespace heapwright::vulkan {
namespace {

namespace usage = model::buffer_usage;

class BufferQuestion {
public:
    static constexpr std::string_view kRefused = "the driver refused this buffer";
    static constexpr std::string_view kRefusedEverywhere = "the driver gave no usable answer for any size of the grid";

    BufferQuestion(RequirementQuery& query, std::uint64_t max_bytes, const model::BufferCase& buffer)
        : query_(query), max_bytes_(max_bytes), info_(create_info({.size_bytes = 1, .usage = buffer.usage})) {}

    [[nodiscard]] std::string not_supported() const { return unsupported_buffer_usage(query_, info_.usage); }

    [[nodiscard]] static const char* call(const RequirementQuery& query) {
        return query.asks_without_objects() ? "vkGetDeviceBufferMemoryRequirements" : "vkCreateBuffer";
    }

    void leave_breadcrumb() const {
        heapwright::leave_breadcrumb(call(query_), "usage " + std::to_string(info_.usage));
    }

    [[nodiscard]] bool admits(std::uint64_t size) const { return size <= max_bytes_; }
    [[nodiscard]] std::string objection(std::uint64_t size) const {
        return fmt::format("{} bytes, limit {} (maxBufferSize)", size, max_bytes_);
    }

    [[nodiscard]] model::MemoryRequirements ask(std::uint64_t size) {
        info_.size = size;
        return query_.buffer(info_);
    }

    // Vulkan states no limit of what a buffer takes, beyond that of the buffer itself.
    [[nodiscard]] static bool keeps(const model::MemoryRequirements&) { return true; }
    [[nodiscard]] static std::string objection(const model::MemoryRequirements&) { return {}; }

private:
    RequirementQuery& query_;
    std::uint64_t max_bytes_;
    VkBufferCreateInfo info_;
};

}  // namespace

std::uint64_t largest_buffer_bytes(const std::vector<model::Fact>& limits) {
    const model::Fact* fact = find_fact(limits, "maxBufferSize");
    const std::uint64_t reported = fact == nullptr || fact->value == 0 ? probe::kLargestSweptBuffer : fact->value;
    return std::min(reported, probe::kLargestSweptBuffer);
}

std::string unsupported_buffer_usage(const RequirementQuery& query, model::Flags bits) {
    if ((bits & usage::kShaderDeviceAddress) != 0 && !query.has_device_address()) {
        return "the device has no bufferDeviceAddress";
    }
    return {};
}

VkBufferCreateInfo create_info(const model::BufferDescription& buffer) {
    return {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
            .pNext = nullptr,
            .flags = 0,
            .size = buffer.size_bytes,
            .usage = buffer.usage,
            .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
            .queueFamilyIndexCount = 0,
            .pQueueFamilyIndices = nullptr};
}

Result<model::BufferSweep> sweep_buffers(RequirementQuery& query, std::uint64_t max_bytes,
                                         std::size_t memory_type_count, const model::Workload* workload,
                                         probe::SweepPace& pace, std::vector<model::Finding>& findings) {
    auto swept =
        probe::run_sweep(probe::standard_buffer_sweep(max_bytes), workload, memory_type_count, pace,
                         [&](const model::BufferCase& buffer) { return BufferQuestion(query, max_bytes, buffer); });
    if (swept) {
        probe::FailedQuestions failed;
        probe::add_silent_cases<BufferQuestion>(*swept, BufferQuestion::call(query), failed);
        failed.tell(
            "buffer-sweep-not-measured",
            fmt::format("the sizes of {} of {} kinds of buffers are not known", failed.count(), swept->cases.size()),
            "/buffer_sweep", findings);
    }
    return swept;
}

}  // namespace heapwright::vulkan
