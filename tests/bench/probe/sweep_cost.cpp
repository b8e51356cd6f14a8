// What the sweep costs beyond the driver calls that it makes: the whole of both sweeps (cases, support questions,
// queries, stored answers) against a loop that makes the same calls with the same creation structures and discards
// the answers. As many runs of each, alternating, as tell whether the times were steady; the ratio of the medians.
//
// usage: bench_probe ICD_FILE [LIMIT]     exit 1 when the ratio is above LIMIT, 3 when there is no device
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "core/clock.hpp"
#include "device/measurement_session.hpp"
#include "model/names.hpp"
#include "probe/cases.hpp"
#include "vulkan/device_report.hpp"
#include "vulkan/facts.hpp"
#include "vulkan/sweeps.hpp"

using namespace heapwright;

namespace {

constexpr std::size_t kRuns = 2 * device::kWindow;
constexpr std::size_t kMostMemoryTypes = VK_MAX_MEMORY_TYPES;

// One call of the sweep's: everything that its creation structure needs.
struct Point {
    VkExtent3D extent;
    std::uint32_t mip_levels;
};

struct ImageCalls {
    VkImageCreateInfo info;
    std::vector<Point> points;
};

struct Calls {
    std::vector<model::ImageCase> cases;
    std::vector<ImageCalls> images;
    std::vector<VkBufferCreateInfo> buffers;
};

Calls list_calls(const vulkan::Instance& instance, const vulkan::PhysicalDevice& device,
                 const vulkan::RequirementQuery& query, std::uint64_t max_buffer_bytes) {
    Calls calls;
    calls.cases = probe::standard_image_cases();
    const model::ImageGrid grid = probe::image_grid(device.properties().limits.maxImageDimension2D);
    for (const model::ImageCase& image : calls.cases) {
        const vulkan::ImageSupport support = vulkan::image_support(instance, device.handle(), image);
        if (!support.not_supported.empty()) continue;
        ImageCalls& entry = calls.images.emplace_back(ImageCalls{vulkan::create_info(image), {}});
        for (std::size_t i = 0; i < grid.point_count(); ++i) {
            const auto [width, height] = grid.point(i);
            const model::ImageDescription description = image.description(width, height);
            const Point point{{width, height, description.depth}, description.mip_levels};
            if (support.admits(point.extent, point.mip_levels)) entry.points.push_back(point);
        }
    }
    for (const model::BufferCase& buffer : probe::standard_buffer_cases()) {
        if (!vulkan::unsupported_buffer_usage(query, buffer.usage).empty()) continue;
        for (const std::uint64_t size : probe::buffer_sizes(max_buffer_bytes)) {
            calls.buffers.push_back(vulkan::create_info(model::BufferDescription{size, buffer.usage}));
        }
    }
    return calls;
}

std::uint64_t bare_ns(const vulkan::Instance& instance, const vulkan::PhysicalDevice& device,
                      const vulkan::RequirementQuery& query, Calls& calls) {
    SteadyClock clock;
    const vulkan::DeviceCalls& call = query.functions();
    const auto get_image = device.api_version() >= VK_API_VERSION_1_3 ? call.vkGetDeviceImageMemoryRequirements
                                                                      : call.vkGetDeviceImageMemoryRequirementsKHR;
    const auto get_buffer = device.api_version() >= VK_API_VERSION_1_3 ? call.vkGetDeviceBufferMemoryRequirements
                                                                       : call.vkGetDeviceBufferMemoryRequirementsKHR;
    VkMemoryDedicatedRequirements dedicated{};
    dedicated.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS;
    VkMemoryRequirements2 requirements{};
    requirements.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2;
    requirements.pNext = &dedicated;
    VkDeviceImageMemoryRequirements image_question{};
    image_question.sType = VK_STRUCTURE_TYPE_DEVICE_IMAGE_MEMORY_REQUIREMENTS;
    VkDeviceBufferMemoryRequirements buffer_question{};
    buffer_question.sType = VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS;

    const std::uint64_t start_ns = clock.now_ns();
    for (const model::ImageCase& image : calls.cases) {
        const VkImageCreateInfo info = vulkan::create_info(image);
        VkImageFormatProperties limits;
        static_cast<void>(instance.functions().get_image_format_properties(
            device.handle(), info.format, info.imageType, info.tiling, info.usage, info.flags, &limits));
    }
    for (ImageCalls& entry : calls.images) {
        image_question.pCreateInfo = &entry.info;
        for (const Point& point : entry.points) {
            entry.info.extent = point.extent;
            entry.info.mipLevels = point.mip_levels;
            get_image(query.handle(), &image_question, &requirements);
        }
    }
    for (const VkBufferCreateInfo& info : calls.buffers) {
        buffer_question.pCreateInfo = &info;
        get_buffer(query.handle(), &buffer_question, &requirements);
    }
    return clock.now_ns() - start_ns;
}

Result<std::uint64_t> sweep_ns(const vulkan::Instance& instance, const vulkan::PhysicalDevice& device,
                               vulkan::RequirementQuery& query, std::uint64_t max_buffer_bytes) {
    SteadyClock clock;
    const device::ReadOptions options;
    probe::SweepPace pace(options);
    const std::uint64_t start_ns = clock.now_ns();
    std::vector<model::Finding> findings;
    HEAPWRIGHT_TRY(vulkan::sweep_images(instance, device, query, kMostMemoryTypes, nullptr, pace, findings));
    HEAPWRIGHT_TRY(vulkan::sweep_buffers(query, max_buffer_bytes, kMostMemoryTypes, nullptr, pace, findings));
    return clock.now_ns() - start_ns;
}

std::uint64_t median(std::array<std::uint64_t, kRuns> values) {
    std::sort(values.begin(), values.end());
    return values[kRuns / 2];
}

// The ratio of the medians.
Result<double> measure(const std::string& icd) {
    HEAPWRIGHT_ASSIGN(const vulkan::Instance instance, vulkan::Instance::create({.icd_files = {icd}}));
    HEAPWRIGHT_ASSIGN(const auto handles, instance.physical_devices());
    if (handles.empty()) return fail(ErrorCode::kNoDevice, "the driver gives no device", icd);
    HEAPWRIGHT_ASSIGN(const auto device, vulkan::PhysicalDevice::describe(instance, handles[0]));
    HEAPWRIGHT_ASSIGN(const auto query, vulkan::RequirementQuery::create(instance, device));
    if (!query->asks_without_objects()) {
        return fail(ErrorCode::kNotSupported, "the driver has neither Vulkan 1.3 nor VK_KHR_maintenance4", icd);
    }
    const std::uint64_t max_buffer_bytes = vulkan::largest_buffer_bytes(vulkan::read_limits(instance, device).values);
    Calls calls = list_calls(instance, device, *query, max_buffer_bytes);
    std::size_t count = calls.buffers.size();
    for (const ImageCalls& entry : calls.images) count += entry.points.size();

    std::array<std::uint64_t, kRuns> bare{};
    std::array<std::uint64_t, kRuns> sweep{};
    std::array<double, kRuns> ratios{};
    for (std::size_t run = 0; run < kRuns; ++run) {
        bare[run] = bare_ns(instance, device, *query, calls);
        HEAPWRIGHT_ASSIGN(sweep[run], sweep_ns(instance, device, *query, max_buffer_bytes));
        ratios[run] = static_cast<double>(sweep[run]) / static_cast<double>(bare[run]);
    }
    const double ratio = static_cast<double>(median(sweep)) / static_cast<double>(median(bare));
    const model::MeasurementSteadiness steadiness = device::judge_by_measurements(ratios, {});
    fmt::print(
        "{}\n  {} queries; bare calls {:.3f} ms ({:.0f} ns each), sweep {:.3f} ms, ratio {:.3f}\n  {} ratios: {} "
        "({})\n",
        device.properties().deviceName, count, static_cast<double>(median(bare)) * 1e-6,
        static_cast<double>(median(bare)) / static_cast<double>(count), static_cast<double>(median(sweep)) * 1e-6,
        ratio, steadiness.passes, model::name_of(steadiness.answer), steadiness.note);
    return ratio;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2 || argc > 3) {
        fmt::print(stderr, "usage: bench_probe ICD_FILE [LIMIT]\n");
        return 2;
    }
    const Result<double> ratio = measure(argv[1]);
    if (!ratio) {
        fmt::print(stderr, "{}\n", to_string(ratio.error()));
        return 3;
    }
    return argc == 3 && *ratio > std::strtod(argv[2], nullptr) ? 1 : 0;
}
