#include "engines/program_memory.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "device/submitter.hpp"
#include "engines/progress.hpp"

namespace heapwright::engines {

namespace {

constexpr std::uint64_t kTimeoutNs = 60'000'000'000;

// Device memory wants to be out of the host's reach; uploads want coherent memory that is not cached, read-backs
// coherent memory that is.
std::optional<std::uint32_t> best_memory_type(const model::DeviceReport& facts, std::uint32_t memory_type_bits,
                                              Place place) {
    namespace property = model::memory_property;
    constexpr model::Flags kHost = property::kHostVisible | property::kHostCoherent;
    constexpr model::Flags kExotic = property::kProtected | property::kLazilyAllocated | property::kDeviceCoherentAmd |
                                     property::kDeviceUncachedAmd | property::kRdmaCapableNv;
    std::optional<std::uint32_t> best;
    int best_score = -1;
    for (std::uint32_t type = 0; type < facts.memory_types.size() && type < 32; ++type) {
        const model::Flags flags = facts.memory_types[type].property_flags;
        if ((memory_type_bits >> type & 1u) == 0 || (flags & kExotic) != 0) continue;
        if (place != Place::kDevice && (flags & kHost) != kHost) continue;
        const auto has = [flags](model::Flags flag) { return (flags & flag) != 0 ? 1 : 0; };
        int score = 0;
        if (place == Place::kDevice) {
            score = 4 * has(property::kDeviceLocal) + (1 - has(property::kHostVisible));
        } else {
            score = 4 * (has(property::kHostCached) == (place == Place::kReadback) ? 1 : 0) +
                    (1 - has(property::kDeviceLocal));
        }
        if (score > best_score) {
            best_score = score;
            best = type;
        }
    }
    return best;
}

}  // namespace

Result<std::unique_ptr<ProgramMemory>> ProgramMemory::create(device::Device& device,
                                                             const std::vector<ProgramResource>& resources,
                                                             std::uint64_t seed, const OwnershipPlan* owners) {
    std::unique_ptr<ProgramMemory> memory(new ProgramMemory(device, owners));
    HEAPWRIGHT_ASSIGN(memory->done_, device.create_timeline(0));
    HEAPWRIGHT_TRY(memory->make(resources));
    HEAPWRIGHT_TRY(memory->make_views());
    ProgramMemory* self = memory.get();
    self->real_.real = [self](ResourceIndex resource) { return self->made_[resource.value].id; };
    self->real_.view = [](ResourceIndex resource) { return resource.value; };
    if (self->views_) self->real_.views = *self->views_;
    HEAPWRIGHT_TRY(memory->fill(seed));
    HEAPWRIGHT_TRY(memory->give_away());
    return memory;
}

ProgramMemory::~ProgramMemory() {
    if (views_) device_.descriptors()->destroy(*views_);
    for (const Made& made : made_) device_.resources().destroy(made.id);
    if (readback_) device_.resources().destroy(readback_->id);
}

bool ProgramMemory::is_exclusive(std::size_t resource) const {
    return owners_ != nullptr && owners_->program.schedule.resources[resource].exclusive;
}

Result<device::ResourceId> ProgramMemory::create(const model::ResourceDescription& description,
                                                 std::uint32_t memory_type, bool exclusive) {
    constexpr float kPriority = 0.5f;
    return exclusive ? device_.resources().create_exclusive(description, {memory_type}, kPriority)
                     : device_.resources().create_dedicated(description, {memory_type}, kPriority);
}

Result<ProgramMemory::Made> ProgramMemory::make_buffer(std::uint64_t size_bytes, Place place, bool exclusive) {
    namespace usage = model::buffer_usage;
    const model::BufferDescription description{
        .size_bytes = size_bytes,
        .usage = usage::kTransferSrc | usage::kTransferDst | (place == Place::kDevice ? usage::kStorage : 0)};
    HEAPWRIGHT_ASSIGN(const model::MemoryRequirements requirements, device_.resources().requirements(description));
    const auto type = best_memory_type(device_.facts(), requirements.memory_type_bits, place);
    if (!type) {
        return fail({.code = ErrorCode::kNotSupported,
                     .message = "no memory type takes a buffer of the program",
                     .where = "memory_type_bits",
                     .value = requirements.memory_type_bits});
    }
    Made made;
    HEAPWRIGHT_ASSIGN(made.id, create(description, *type, exclusive));
    if (place == Place::kDevice) return made;
    auto mapped = device_.resources().map_dedicated(made.id);
    if (!mapped) {
        device_.resources().destroy(made.id);
        return fail(std::move(mapped.error()));
    }
    made.bytes = mapped->first(size_bytes);
    return made;
}

Result<device::ResourceId> ProgramMemory::make_image(std::uint32_t side, bool exclusive) {
    namespace usage = model::image_usage;
    const model::ImageDescription description{.format = model::Format::kR8G8B8A8Unorm,
                                              .usage = usage::kSampled | usage::kTransferSrc | usage::kColorAttachment,
                                              .width = side,
                                              .height = side};
    HEAPWRIGHT_ASSIGN(const model::MemoryRequirements requirements, device_.resources().requirements(description));
    const auto type = best_memory_type(device_.facts(), requirements.memory_type_bits, Place::kDevice);
    if (!type) {
        return fail({.code = ErrorCode::kNotSupported,
                     .message = "no memory type takes a render target of the program",
                     .where = "memory_type_bits",
                     .value = requirements.memory_type_bits});
    }
    return create(description, *type, exclusive);
}

Status ProgramMemory::make(const std::vector<ProgramResource>& resources) {
    resources_ = resources;
    std::uint64_t device_bytes = 0;
    for (const ProgramResource& resource : resources) {
        if (resource.side != 0) {
            HEAPWRIGHT_ASSIGN(const device::ResourceId image, make_image(resource.side, is_exclusive(made_.size())));
            made_.push_back({image, {}});
            continue;
        }
        HEAPWRIGHT_ASSIGN(const Made made,
                          make_buffer(resource.size_bytes, resource.place, is_exclusive(made_.size())));
        made_.push_back(made);
        if (resource.place == Place::kDevice) device_bytes += resource.size_bytes;
    }
    if (device_bytes != 0) {
        HEAPWRIGHT_ASSIGN(readback_, make_buffer(device_bytes, Place::kReadback, false));
    }
    return {};
}

Status ProgramMemory::make_views() {
    if (std::ranges::none_of(resources_, [](const ProgramResource& resource) { return resource.side != 0; })) return {};
    if (device_.descriptors() == nullptr) {
        return fail(ErrorCode::kNotSupported, "the device has no descriptor heaps for render target views",
                    "descriptors");
    }
    HEAPWRIGHT_ASSIGN(views_, device_.descriptors()->create({.kind = device::DescriptorHeapKind::kRtv,
                                                             .capacity = static_cast<std::uint32_t>(resources_.size()),
                                                             .shader_visible = false}));
    for (std::uint32_t index = 0; index < resources_.size(); ++index) {
        if (resources_[index].side == 0) continue;
        HEAPWRIGHT_TRY(
            device_.descriptors()->write(*views_, index, device::RenderTargetView{.image = made_[index].id}));
    }
    return {};
}

Status ProgramMemory::fill(std::uint64_t seed) {
    std::vector<device::Work> work;
    for (std::uint32_t index = 0; index < resources_.size(); ++index) {
        const std::span<std::byte> bytes = made_[index].bytes;
        for (std::size_t word = 0; word < bytes.size() / 4; ++word) {
            const std::uint32_t value =
                resources_[index].place == Place::kUpload ? initial_word(seed, {index}, word) : kUntouchedWord;
            std::memcpy(bytes.data() + word * 4, &value, 4);
        }
        if (resources_[index].side != 0) {
            // An image's first use comes before lists that use it are recorded.
            work.emplace_back(device::ClearRenderTarget{
                .heap = *views_, .index = index, .image = made_[index].id, .value = {0, 0, 0, 0}});
        } else if (bytes.empty()) {
            work.emplace_back(device::FillBuffer{.buffer = made_[index].id,
                                                 .offset_bytes = 0,
                                                 .size_bytes = resources_[index].size_bytes,
                                                 .value = kUntouchedWord});
        }
    }
    return submit_and_wait({}, work);
}

Status ProgramMemory::submit_and_wait(std::span<const device::TimelinePoint> waits,
                                      std::span<const device::Work> work) {
    if (work.empty()) return {};
    return submit_and_wait({.engine = {0}, .waits = waits, .work = work, .signals = {}, .lists = {}});
}

Status ProgramMemory::submit_and_wait(device::Submission submission) {
    const std::array signals{device::TimelinePoint{done_.get(), {++submissions_}}};
    submission.signals = signals;
    HEAPWRIGHT_TRY(device_.submitter().submit(submission));
    Status done = done_->wait({submissions_}, kTimeoutNs);
    if (!done) (void)device_.submitter().wait_idle();  // callers destroy what the work uses
    return done;
}

// The host waits between the two halves: the acquire is submitted when the release is over.
Status ProgramMemory::move(const std::vector<OwnedRange>& ranges, std::span<const device::TimelinePoint> after,
                           bool away) {
    const auto engines = device_.submitter().engines();
    const QueueFamilyIndex home = engines.front().queue_family;
    for (std::uint32_t engine = 0; engine < engines.size(); ++engine) {
        const QueueFamilyIndex other = engines[engine].queue_family;
        const auto same_family = [other](const device::EngineInfo& info) { return info.queue_family == other; };
        // One engine speaks for its family.
        if (other == home || &*std::ranges::find_if(engines, same_family) != &engines[engine]) continue;
        std::vector<device::OwnershipTransfer> transfers;
        for (const OwnedRange& range : ranges) {
            if (range.family != other.value) continue;
            const bool is_image = resources_[range.resource.value].side != 0;
            transfers.push_back({.resource = made_[range.resource.value].id,
                                 .from = away ? home : other,
                                 .to = away ? other : home,
                                 .offset_bytes = is_image ? 0 : range.begin,
                                 .size_bytes = is_image ? 0 : range.end - range.begin});
        }
        if (transfers.empty()) continue;
        const device::EngineId giver{away ? 0 : engine};
        const device::EngineId taker{away ? engine : 0};
        HEAPWRIGHT_TRY(submit_and_wait(
            {.engine = giver, .waits = after, .work = {}, .signals = {}, .lists = {}, .releases = transfers}));
        const std::array released{device::TimelinePoint{done_.get(), {submissions_}}};
        HEAPWRIGHT_TRY(submit_and_wait(
            {.engine = taker, .waits = released, .work = {}, .signals = {}, .lists = {}, .acquires = transfers}));
    }
    return {};
}

Status ProgramMemory::give_away() {
    return owners_ == nullptr ? Status{} : move(owners_->first, {}, true);
}

Status ProgramMemory::take_back(std::span<const device::TimelinePoint> after) {
    return owners_ == nullptr ? Status{} : move(owners_->last, after, false);
}

Result<std::vector<std::vector<std::byte>>> ProgramMemory::read_all(std::span<const device::TimelinePoint> after) {
    std::vector<device::Work> work;
    std::uint64_t offset = 0;
    for (std::size_t index = 0; index < resources_.size(); ++index) {
        if (resources_[index].side != 0 || resources_[index].place != Place::kDevice) continue;
        work.emplace_back(device::CopyBuffer{.source = made_[index].id,
                                             .destination = readback_->id,
                                             .source_offset_bytes = 0,
                                             .destination_offset_bytes = offset,
                                             .size_bytes = resources_[index].size_bytes});
        offset += resources_[index].size_bytes;
    }
    HEAPWRIGHT_TRY(take_back(after));
    HEAPWRIGHT_TRY(submit_and_wait(after, work));
    std::vector<std::vector<std::byte>> all;
    offset = 0;
    for (std::size_t index = 0; index < resources_.size(); ++index) {
        std::span<const std::byte> bytes = made_[index].bytes;
        if (resources_[index].side != 0) {
            bytes = {};
        } else if (resources_[index].place == Place::kDevice) {
            bytes = readback_->bytes.subspan(offset, resources_[index].size_bytes);
            offset += resources_[index].size_bytes;
        }
        all.emplace_back(bytes.begin(), bytes.end());
    }
    return all;
}

namespace {

struct Apply {
    std::vector<std::vector<std::byte>>& bytes;
    std::vector<std::vector<std::byte>>& reads;

    [[nodiscard]] std::span<std::byte> range(device::ResourceId id, std::uint64_t offset, std::uint64_t size) const {
        return std::span(bytes[id.value]).subspan(offset, size);
    }
    [[nodiscard]] std::span<std::byte> whole(device::ResourceId id) const { return bytes[id.value]; }

    static void move(std::span<const std::byte> from, std::span<std::byte> to) {
        std::memmove(to.data(), from.data(), from.size());
    }

    void operator()(const device::FillBuffer& work) const {
        const std::span<std::byte> to = range(work.buffer, work.offset_bytes, work.size_bytes);
        for (std::size_t at = 0; at < to.size(); at += 4) std::memcpy(to.data() + at, &work.value, 4);
    }
    void operator()(const device::CopyBuffer& work) const {
        move(range(work.source, work.source_offset_bytes, work.size_bytes),
             range(work.destination, work.destination_offset_bytes, work.size_bytes));
    }
    void operator()(const device::TransformBuffer& work) const {
        const std::span<std::byte> from = range(work.source, work.source_offset_bytes, work.size_bytes);
        const std::span<std::byte> to = range(work.destination, work.destination_offset_bytes, work.size_bytes);
        for (std::size_t at = 0; at < from.size(); at += 4) {
            std::uint32_t word = 0;
            std::memcpy(&word, from.data() + at, 4);
            word = device::transform_word(word, work.key, work.rounds);
            std::memcpy(to.data() + at, &word, 4);
        }
    }
    void operator()(const device::DrawBuffer& work) const {
        const std::span<std::byte> image = whole(work.image);
        move(range(work.source, work.source_offset_bytes, image.size()), image);
    }
    void operator()(const device::CopyImageToBuffer& work) const {
        const std::span<std::byte> image = whole(work.image);
        move(image, range(work.buffer, work.buffer_offset_bytes, image.size()));
    }
    void operator()(const device::CopyBufferToImage& work) const {
        const std::span<std::byte> image = whole(work.image);
        move(range(work.buffer, work.buffer_offset_bytes, image.size()), image);
    }
    // accesses_of() refuses other work before it enters a program.
    template <class Other>
    void operator()(const Other&) const {}

    void operator()(const device::Work& work) const { std::visit(*this, work); }
    void operator()(const HostWrite& host) const {
        move(host.bytes, range({host.resource.value}, host.offset_bytes, host.bytes.size()));
    }
    void operator()(const HostRead& host) const {
        const std::span<std::byte> from = range({host.resource.value}, host.offset_bytes, host.size_bytes);
        reads.emplace_back(from.begin(), from.end());
    }
};

}  // namespace

HostMemory::HostMemory(const std::vector<ProgramResource>& resources, std::uint64_t seed) {
    for (std::uint32_t resource = 0; resource < resources.size(); ++resource) {
        std::vector<std::byte>& bytes = bytes_.emplace_back(resources[resource].size_bytes);
        for (std::size_t word = 0; word < bytes.size() / 4; ++word) {
            const std::uint32_t value =
                resources[resource].place == Place::kUpload ? initial_word(seed, {resource}, word) : kUntouchedWord;
            std::memcpy(bytes.data() + word * 4, &value, 4);
        }
    }
}

void HostMemory::apply(const Step& step) {
    std::visit(Apply{bytes_, reads_}, step);
}

HostMemory run_on_host(const EngineProgram& program, const std::vector<std::size_t>& order) {
    HostMemory memory(program.resources, program.seed);
    for (const std::size_t position : order) memory.apply(program.steps[position]);
    return memory;
}

HostMemory run_on_host(const EngineProgram& program) {
    return run_on_host(program, engines::play(program.schedule).order);
}

}  // namespace heapwright::engines
