#include "heapwright/vulkan/buffer_sweep.hpp"

#include <algorithm>

#include "heapwright/core/breadcrumb.hpp"
#include "heapwright/vulkan/sweep_tables.hpp"

namespace heapwright::vulkan {
namespace {

using model::Flags;
namespace usage = model::buffer_usage;

constexpr std::uint64_t kLargestSwept = 1ull << 40;
constexpr std::uint64_t kDenseUpTo = 64;
constexpr std::uint64_t kOddSizes[] = {96,      100,       1000,      1920 * 1080 * 4, 3840 * 2160 * 4, 10'000,
                                       100'000, 1'000'000, 3'000'000, 10'000'000,      100'000'000,     1'000'000'000};

constexpr Flags kTransfer = usage::kTransferSrc | usage::kTransferDst;
constexpr Flags kAllButAddress = kTransfer | usage::kUniformTexel | usage::kStorageTexel | usage::kUniform |
                                 usage::kStorage | usage::kIndex | usage::kVertex | usage::kIndirect;
constexpr Flags kUsages[] = {usage::kTransferSrc,
                             usage::kTransferDst,
                             usage::kUniformTexel,
                             usage::kStorageTexel,
                             usage::kUniform,
                             usage::kStorage,
                             usage::kIndex,
                             usage::kVertex,
                             usage::kIndirect,
                             usage::kShaderDeviceAddress,
                             kTransfer,
                             usage::kVertex | usage::kTransferDst,
                             usage::kIndex | usage::kTransferDst,
                             usage::kVertex | usage::kIndex | usage::kTransferDst,
                             usage::kUniform | usage::kTransferDst,
                             usage::kStorage | usage::kTransferDst,
                             usage::kStorage | kTransfer,
                             usage::kStorage | usage::kIndirect | usage::kTransferDst,
                             usage::kUniformTexel | usage::kTransferDst,
                             usage::kStorage | usage::kShaderDeviceAddress | kTransfer,
                             kAllButAddress,
                             kAllButAddress | usage::kShaderDeviceAddress};

}  // namespace

std::vector<std::uint64_t> buffer_sizes(std::uint64_t max_bytes) {
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t size = 1; size <= kDenseUpTo; ++size) sizes.push_back(size);
    for (std::uint64_t power = kDenseUpTo; power <= kLargestSwept; power *= 2) {
        sizes.insert(sizes.end(), {power - 1, power, power + 1});
    }
    sizes.insert(sizes.end(), std::begin(kOddSizes), std::end(kOddSizes));
    sizes.push_back(max_bytes);
    std::erase_if(sizes, [max_bytes](std::uint64_t size) { return size > max_bytes; });
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

std::vector<model::BufferCase> standard_buffer_cases() {
    std::vector<model::BufferCase> cases;
    for (const Flags bits : kUsages) cases.push_back({.usage = bits, .table = {}, .not_supported = {}});
    return cases;
}

std::uint64_t largest_buffer_bytes(const std::vector<model::Fact>& limits) {
    const auto fact = std::find_if(limits.begin(), limits.end(),
                                   [](const model::Fact& entry) { return entry.name == "maxBufferSize"; });
    const std::uint64_t reported = fact == limits.end() || fact->value == 0 ? kLargestSwept : fact->value;
    return std::min(reported, kLargestSwept);
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

Result<model::BufferSweep> sweep_buffers(RequirementQuery& query, std::uint64_t max_bytes, SweepPace& pace) {
    model::BufferSweep sweep;
    sweep.sizes = buffer_sizes(max_bytes);
    sweep.cases = standard_buffer_cases();
    RequirementClasses classes;
    TableStore tables;
    model::SweepTable table = empty_table(sweep.sizes.size());
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
            const RequirementAnswer answer = query.buffer(info);
            table.size_bytes[point] = answer.size_bytes;
            table.requirement[point] = answer.size_bytes == 0 ? std::uint16_t{0} : classes.index_of(answer);
        }
        if (holds_an_answer(table)) {
            entry.table = tables.add(table);
        } else {
            entry.not_supported = "the driver refused every size of the grid";
        }
    }
    HEAPWRIGHT_TRY(classes.check());
    sweep.requirements = classes.take();
    sweep.tables = tables.take();
    return sweep;
}

}  // namespace heapwright::vulkan
