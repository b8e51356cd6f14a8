#include "synthetic_device.hpp"
#include "core/units.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace heapwright::test {
namespace {

namespace property = model::memory_property;

std::uint64_t align(std::uint64_t value, std::uint64_t to) {
    return (value + to - 1) / to * to;
}

model::ImageGrid powers_of_two_grid(std::uint32_t largest) {
    model::ImageGrid grid;
    for (std::uint32_t side = 1; side <= largest; side *= 2) {
        grid.widths.push_back(side);
        grid.heights.push_back(side);
    }
    grid.extra = {{1920, 1080}, {100, 100}};
    return grid;
}

struct ImageAnswer {
    std::uint64_t size_bytes;
    std::uint16_t requirement;
};

// Adds a case with a table of its own whose points `answer` gives.
template <class Answer>
void add_image_case(model::ImageSweep& sweep, model::ImageCase entry, Answer answer) {
    model::SweepTable table;
    for (std::size_t index = 0; index < sweep.grid.point_count(); ++index) {
        const auto [width, height] = sweep.grid.point(index);
        const ImageAnswer given = answer(entry.description(width, height));
        table.size_bytes.push_back(given.size_bytes);
        table.requirement.push_back(given.requirement);
    }
    entry.table = static_cast<std::uint32_t>(sweep.tables.size());
    sweep.tables.push_back(std::move(table));
    sweep.cases.push_back(std::move(entry));
}

void add_buffer_case(model::BufferSweep& sweep, model::Flags usage, std::uint64_t rounding) {
    model::SweepTable table;
    for (const std::uint64_t size : sweep.sizes) {
        table.size_bytes.push_back(align(size, rounding));
        table.requirement.push_back(0);
    }
    sweep.cases.push_back({.usage = usage, .table = static_cast<std::uint32_t>(sweep.tables.size())});
    sweep.tables.push_back(std::move(table));
}

constexpr std::array kBufferUsages{
    model::buffer_usage::kVertex | model::buffer_usage::kTransferDst, model::Flags{model::buffer_usage::kTransferSrc},
    model::Flags{model::buffer_usage::kTransferDst}, model::Flags{model::buffer_usage::kUniform}};

}  // namespace

void set_limit(model::DeviceReport& device, const char* name, std::uint64_t value) {
    for (model::Fact& fact : device.limits) {
        if (fact.name == name) {
            fact.value = value;
            return;
        }
    }
    const bool maintenance3 = std::string(name) == "maxMemoryAllocationSize";
    device.limits.push_back(
        {.group = maintenance3 ? "VkPhysicalDeviceMaintenance3Properties" : "VkPhysicalDeviceLimits",
         .name = name,
         .value = value});
}

void remove_limit(model::DeviceReport& device, const char* name) {
    std::erase_if(device.limits, [name](const model::Fact& fact) { return fact.name == name; });
}

model::DeviceReport bare_device(std::vector<model::MemoryHeap> heaps, std::vector<model::MemoryType> types) {
    model::DeviceReport device;
    device.identity = {.name = "bare", .type = model::DeviceType::kDiscreteGpu};
    device.heaps = std::move(heaps);
    device.memory_types = std::move(types);
    set_limit(device, "maxMemoryAllocationCount", 4096);
    set_limit(device, "bufferImageGranularity", 1024);
    set_limit(device, "maxMemoryAllocationSize", 4 * kGiB - 1);
    set_limit(device, "maxImageDimension2D", 16384);
    return device;
}

model::Workload empty_workload() {
    model::Workload workload;
    workload.name = "bare";
    workload.reserve_share = 0;
    return workload;
}

model::DeviceReport radv_like_device() {
    model::DeviceReport device;
    device.identity = {.name = "Synthetic RX",
                       .type = model::DeviceType::kDiscreteGpu,
                       .driver_id = "MESA_RADV",
                       .driver_name = "synthetic",
                       .driver_info = "1.0",
                       .api_version = "1.3.230"};
    device.heaps = {{.size_bytes = 8 * kGiB - 256 * kMiB, .flags = model::memory_heap::kDeviceLocal},
                    {.size_bytes = 16 * kGiB, .flags = 0},
                    {.size_bytes = 256 * kMiB, .flags = model::memory_heap::kDeviceLocal}};
    device.memory_types = {
        {.heap_index = 0, .property_flags = property::kDeviceLocal},
        {.heap_index = 0, .property_flags = property::kDeviceLocal},
        {.heap_index = 1, .property_flags = property::kHostVisible | property::kHostCoherent},
        {.heap_index = 2, .property_flags = property::kDeviceLocal | property::kHostVisible | property::kHostCoherent},
        {.heap_index = 1, .property_flags = property::kHostVisible | property::kHostCoherent | property::kHostCached},
        {.heap_index = 0,
         .property_flags = property::kDeviceLocal | property::kDeviceCoherentAmd | property::kDeviceUncachedAmd},
        {.heap_index = 1,
         .property_flags = property::kHostVisible | property::kHostCoherent | property::kDeviceCoherentAmd}};
    device.run.heap_budgets = {{.budget_bytes = 7 * kGiB}, {.budget_bytes = 12 * kGiB}, {.budget_bytes = 240 * kMiB}};
    set_limit(device, "maxImageDimension2D", 16384);
    set_limit(device, "maxImageArrayLayers", 2048);
    set_limit(device, "maxMemoryAllocationCount", 4096);
    set_limit(device, "bufferImageGranularity", 1024);
    set_limit(device, "nonCoherentAtomSize", 64);
    set_limit(device, "maxMemoryAllocationSize", 4292870144);

    model::ImageSweep& images = device.image_sweep;
    images.grid = powers_of_two_grid(8192);
    images.requirements = {{.alignment_bytes = 4096, .memory_type_bits = 0x7f},
                           {.alignment_bytes = 65536, .memory_type_bits = 0x7f}};
    const auto answer = [](const model::ImageDescription& image) {
        const bool large = image.width >= 128 && image.height >= 128;
        return ImageAnswer{.size_bytes = align(model::packed_size_bytes(image), large ? 65536 : 4096),
                           .requirement = static_cast<std::uint16_t>(large ? 1 : 0)};
    };
    add_image_case(images, {.usage = model::image_usage::kSampled | model::image_usage::kTransferDst}, answer);
    add_image_case(
        images, {.usage = model::image_usage::kSampled | model::image_usage::kTransferDst, .full_mips = true}, answer);
    add_image_case(images, {.usage = model::image_usage::kColorAttachment | model::image_usage::kSampled}, answer);

    model::BufferSweep& buffers = device.buffer_sweep;
    for (std::uint64_t size = 1; size <= kGiB; size *= 2) {
        buffers.sizes.push_back(size);
        if (size >= 4) buffers.sizes.push_back(size + 1);
    }
    buffers.requirements = {{.alignment_bytes = 16, .memory_type_bits = 0x7f}};
    for (const model::Flags usage : kBufferUsages) add_buffer_case(buffers, usage, 4);
    return device;
}

model::CreationMeasurements measured_creations() {
    const auto curve = [](model::CreatedObject object, bool memory_priority, std::uint64_t alone, std::uint64_t many) {
        const auto point = [](std::uint32_t threads, std::uint64_t rate) {
            return model::CreationPoint{.threads = threads,
                                        .samples = 5,
                                        .pairs_per_s = rate,
                                        .least_pairs_per_s = rate - rate / 10,
                                        .most_pairs_per_s = rate + rate / 10};
        };
        return model::CreationCurve{.object = object,
                                    .description = std::string("made up"),
                                    .memory_priority = memory_priority,
                                    .points = {point(1, alone), point(16, many)}};
    };
    return {.processors = 16,
            .curves = {curve(model::CreatedObject::kImage, false, 1'329'000, 107'000),
                       curve(model::CreatedObject::kBuffer, false, 9'419'000, 105'733'000),
                       curve(model::CreatedObject::kDescriptors, false, 970'000, 30'000),
                       curve(model::CreatedObject::kBuffer, true, 4'522'000, 116'000)}};
}

model::EngineMeasurements measured_engines() {
    const auto time = [](std::uint64_t ns) {
        return model::MeasuredTime{.ns = ns, .min_ns = ns - ns / 20, .p90_ns = ns + ns / 20};
    };
    const auto overlap = [&](const char* first, const char* second, const char* first_work, const char* second_work) {
        return model::EngineOverlap{.first = first,
                                    .second = second,
                                    .first_work = first_work,
                                    .second_work = second_work,
                                    .samples = 9,
                                    .first_alone = time(1'000'000),
                                    .second_alone = time(1'000'000),
                                    .serial = time(2'010'000),
                                    .concurrent = time(1'210'000),
                                    .gained = 0.8};
    };
    model::EngineMeasurements measured;
    measured.engines = {
        {.name = "graphics", .kind = "graphics", .priority = "normal"},
        {.name = "compute", .kind = "compute", .queue_family = 1, .dedicated = true, .priority = "normal"},
        {.name = "copy", .kind = "copy", .queue_family = 2, .dedicated = true, .priority = "normal"},
        {.name = "compute-low",
         .kind = "compute",
         .queue_family = 1,
         .queue = 1,
         .dedicated = true,
         .priority = "low",
         .priority_note = "the queues of the family share one priority"},
        {.name = "copy-2", .kind = "copy", .queue_family = 2, .queue = 1, .dedicated = true, .priority = "normal"}};
    measured.overlaps = {overlap("graphics", "compute", "draw", "compute"), overlap("graphics", "copy", "draw", "copy"),
                         overlap("compute", "copy", "compute", "copy")};
    for (const auto direction :
         {model::CopyDirection::kUpload, model::CopyDirection::kDownload, model::CopyDirection::kOnDevice}) {
        for (const char* engine : {"graphics", "copy", "copy-2"}) {
            measured.copies.push_back({.engine = engine,
                                       .direction = direction,
                                       .bytes_each = 8 << 20,
                                       .samples = 9,
                                       .time = time(400'000),
                                       .bytes_per_s = 20'971'520'000});
        }
    }
    // A shader copies thrice as fast; the host writes as fast to mapped device memory as to its own.
    const auto curve = [&](const char* engine, model::CopyDirection direction, model::CopyMeans means, bool mapped,
                           std::uint64_t bytes_per_s) {
        model::CopyCurve made{.engine = engine, .direction = direction, .means = means, .mapped = mapped};
        for (const std::uint64_t bytes : {1ull << 16, 1ull << 20, 1ull << 24}) {
            made.points.push_back({.bytes = bytes,
                                   .in_a_row = 4,
                                   .samples = 5,
                                   .time = time(bytes * 1'000'000'000 / bytes_per_s),
                                   .bytes_per_s = bytes_per_s});
        }
        return made;
    };
    using model::CopyDirection;
    using model::CopyMeans;
    measured.copy_curves = {
        curve("graphics", CopyDirection::kOnDevice, CopyMeans::kCommand, false, 400'000'000'000),
        curve("copy", CopyDirection::kOnDevice, CopyMeans::kCommand, false, 80'000'000'000),
        curve("graphics", CopyDirection::kOnDevice, CopyMeans::kShader, false, 1'300'000'000'000),
        curve("compute", CopyDirection::kOnDevice, CopyMeans::kShader, false, 1'290'000'000'000),
        curve("graphics", CopyDirection::kOnDevice, CopyMeans::kImageCommand, false, 400'000'000'000),
        curve("compute", CopyDirection::kOnDevice, CopyMeans::kImageCommand, false, 1'000'000'000'000),
        curve("copy", CopyDirection::kUpload, CopyMeans::kCommand, false, 50'000'000'000),
        curve("host", CopyDirection::kUpload, CopyMeans::kHost, true, 19'000'000'000),
        curve("host", CopyDirection::kUpload, CopyMeans::kHost, false, 20'000'000'000)};
    const auto point = [&](std::uint32_t cpu, std::uint32_t engine, std::uint64_t ns) {
        return model::PipelinePoint{.cpu_latency = cpu, .engine_latency = engine, .samples = 20, .frame = time(ns)};
    };
    measured.pipelines = {{.name = "compute-graphics",
                           .points = {point(1, 1, 800'000), point(1, 2, 700'000), point(2, 1, 500'000),
                                      point(2, 2, 300'000), point(3, 1, 500'000), point(3, 2, 260'000)},
                           .best_cpu_latency = 3,
                           .best_engine_latency = 2,
                           .statement = "three and two"},
                          {.name = "copy-graphics",
                           .points = {point(5, 1, 500'000), point(5, 2, 260'000), point(5, 3, 255'000)},
                           .best_cpu_latency = 5,
                           .best_engine_latency = 2,
                           .statement = "two"}};
    measured.steadiness = {.answer = model::Steadiness::kSteady,
                           .decided_by = model::SteadinessSource::kMeasurements,
                           .passes = 20,
                           .note = "level"};
    return measured;
}

model::Workload small_workload() {
    model::Workload workload;
    workload.name = "small";
    workload.churn_steps = 1'000;
    workload.images = {
        {.smallest_side = 16, .largest_side = 2048, .full_mips = true, .count = 1000},
        {.extents = {{64, 64}, {256, 256}}, .count = 300},
        {.usage = model::image_usage::kColorAttachment | model::image_usage::kSampled,
         .extents = {{1920, 1080}},
         .count = 6,
         .lifetime = model::Lifetime::kPersistent},
    };
    workload.buffers = {
        {.count = 2000},
        {.usage = kBufferUsages[1], .largest_bytes = 4 << 20, .count = 40, .memory_use = model::MemoryUse::kUpload},
        {.usage = kBufferUsages[2], .largest_bytes = 1 << 20, .count = 10, .memory_use = model::MemoryUse::kReadback},
        {.usage = kBufferUsages[3],
         .largest_bytes = 1 << 16,
         .count = 500,
         .lifetime = model::Lifetime::kFrame,
         .memory_use = model::MemoryUse::kStreaming},
    };
    return workload;
}

model::DeviceReport random_device(Random& random) {
    model::DeviceReport device;
    device.identity.name = "random";
    const std::uint64_t heap_count = random.between(1, 16);
    for (std::uint64_t heap = 0; heap < heap_count; ++heap) {
        // From nothing to beyond 2^62.
        const std::uint64_t size = random.below(8) == 0 ? 0 : random.next() >> random.between(2, 50);
        device.heaps.push_back(
            {.size_bytes = size, .flags = random.below(2) == 0 ? model::memory_heap::kDeviceLocal : 0});
    }
    const std::uint64_t type_count = random.between(1, 32);
    for (std::uint64_t type = 0; type < type_count; ++type) {
        const auto heap = static_cast<std::uint32_t>(random.below(heap_count));
        const auto flags = static_cast<model::Flags>(random.next() & random.next() & 0x1ff);
        device.memory_types.push_back(
            {.heap_index = heap, .property_flags = flags | (random.below(2) == 0 ? property::kHostVisible : 0)});
    }
    if (random.below(2) == 0) {
        for (const model::MemoryHeap& heap : device.heaps) {
            const std::uint64_t kind = random.below(10);
            model::HeapBudget budget{.budget_bytes = heap.size_bytes / (kind + 1)};
            if (kind == 7) budget.budget_bytes = 0;
            if (kind == 8) budget.budget_bytes = heap.size_bytes + random.below(kGiB);
            if (kind == 9) budget.budget_bytes = ~0ull - random.below(kMiB);
            if (random.below(4) == 0) budget.usage_bytes = random.next() >> random.below(64);
            device.run.heap_budgets.push_back(budget);
        }
    }
    if (random.below(4) != 0) set_limit(device, "maxMemoryAllocationCount", random.between(1, 1u << random.below(32)));
    if (random.below(4) != 0) set_limit(device, "bufferImageGranularity", 1ull << random.below(18));
    if (random.below(4) != 0) set_limit(device, "nonCoherentAtomSize", 1ull << random.below(9));
    if (random.below(4) != 0) set_limit(device, "maxMemoryAllocationSize", random.next() >> random.between(1, 44));
    if (random.below(4) == 0) return device;

    const std::uint32_t all_types =
        type_count == 32 ? ~0u : static_cast<std::uint32_t>((std::uint64_t{1} << type_count) - 1);
    model::ImageSweep& images = device.image_sweep;
    images.grid = powers_of_two_grid(4096);
    for (int index = 0; index < 4; ++index) {
        images.requirements.push_back({.alignment_bytes = 1ull << random.below(22),
                                       .memory_type_bits = static_cast<std::uint32_t>(random.next()) & all_types,
                                       .dedicated = static_cast<model::Dedicated>(random.below(3))});
    }
    images.requirements[0] = {.alignment_bytes = 256, .memory_type_bits = all_types};
    const std::uint64_t scale = random.between(1, 1000);
    add_image_case(images, {.usage = model::image_usage::kSampled | model::image_usage::kTransferDst},
                   [&](const model::ImageDescription& image) {
                       return ImageAnswer{
                           .size_bytes = random.below(10) == 0 ? 0 : model::packed_size_bytes(image) * scale,
                           .requirement = static_cast<std::uint16_t>(random.below(4))};
                   });
    model::BufferSweep& buffers = device.buffer_sweep;
    for (std::uint64_t size = 1; size <= (1ull << random.between(4, 40)); size *= 2) buffers.sizes.push_back(size);
    buffers.requirements = {{.alignment_bytes = 1ull << random.below(17), .memory_type_bits = all_types}};
    for (const model::Flags usage : kBufferUsages) add_buffer_case(buffers, usage, 1ull << random.below(9));
    return device;
}

model::Workload random_workload(Random& random) {
    model::Workload workload = small_workload();
    workload.name = "random";
    workload.reserve_share = random.unit();
    for (model::ImageHint& hint : workload.images) {
        hint.count = static_cast<std::uint32_t>(random.next() >> random.between(32, 63));
        hint.largest_side = 1u << random.below(15);
        hint.smallest_side = static_cast<std::uint32_t>(random.between(1, hint.largest_side));
        hint.distribution = static_cast<model::SizeDistribution>(random.below(3));
        hint.array_layers = 1u << random.below(6);
        hint.memory_use = random.below(8) == 0 ? model::MemoryUse::kStreaming : model::MemoryUse::kDeviceOnly;
    }
    for (model::BufferHint& hint : workload.buffers) {
        hint.count = static_cast<std::uint32_t>(random.next() >> random.between(32, 63));
        hint.largest_bytes = random.next() >> random.between(0, 60);
        hint.smallest_bytes = random.between(0, hint.largest_bytes);
        hint.distribution = static_cast<model::SizeDistribution>(random.below(3));
    }
    return workload;
}

}  // namespace heapwright::test
