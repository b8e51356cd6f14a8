#include "heapwright/vulkan/buffer_sweep.hpp"

#include <algorithm>

#include "heapwright/core/breadcrumb.hpp"
#include "heapwright/sweep/cases.hpp"
#include "heapwright/sweep/odd_answers.hpp"
#include "heapwright/sweep/tables.hpp"

namespace heapwright::vulkan {
namespace {

namespace usage = model::buffer_usage;

}  // namespace

std::uint64_t largest_buffer_bytes(const std::vector<model::Fact>& limits) {
    const model::Fact* fact = find_fact(limits, "maxBufferSize");
    const std::uint64_t reported = fact == nullptr || fact->value == 0 ? sweep::kLargestSweptBuffer : fact->value;
    return std::min(reported, sweep::kLargestSweptBuffer);
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
                                         std::size_t memory_type_count, sweep::SweepPace& pace) {
    model::BufferSweep sweep;
    sweep.sizes = sweep::buffer_sizes(max_bytes);
    sweep.cases = sweep::standard_buffer_cases();
    sweep::RequirementClasses classes;
    sweep::OddAnswers<model::OddBuffer> odd(memory_type_count);
    sweep::TableStore tables;
    model::SweepTable table = sweep::empty_table(sweep.sizes.size());
    std::size_t done = 0;
    for (model::BufferCase& entry : sweep.cases) {
        HEAPWRIGHT_TRY(pace.step("buffer sweep", done++, sweep.cases.size()));
        entry.not_supported = unsupported_buffer_usage(query, entry.usage);
        if (!entry.not_supported.empty()) continue;
        leave_breadcrumb(query.asks_without_objects() ? "vkGetDeviceBufferMemoryRequirements" : "vkCreateBuffer",
                         "usage " + std::to_string(entry.usage));
        VkBufferCreateInfo info = create_info({.size_bytes = 1, .usage = entry.usage});
        for (std::size_t point = 0; point < sweep.sizes.size(); ++point) {
            info.size = sweep.sizes[point];
            RequirementAnswer answer = query.buffer(info);
            if (!odd.is_sound(answer)) answer = odd.take(answer, {.size_bytes = info.size, .usage = entry.usage});
            table.size_bytes[point] = answer.size_bytes;
            table.requirement[point] = answer.size_bytes == 0 ? std::uint16_t{0} : classes.index_of(answer);
        }
        if (sweep::holds_an_answer(table)) {
            entry.table = tables.add(table);
        } else {
            entry.not_supported = "the driver gave no usable answer for any size of the grid";
        }
    }
    HEAPWRIGHT_TRY(classes.check());
    sweep.requirements = classes.take();
    sweep.tables = tables.take();
    sweep.odd_answers = odd.take_all();
    return sweep;
}

}  // namespace heapwright::vulkan
