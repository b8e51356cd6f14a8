#include "frame/upload_heap.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "contract/bucket_choice.hpp"
#include "core/checked.hpp"
#include "core/clock.hpp"
#include "frame/release_point.hpp"

namespace heapwright::frame {
namespace {

constexpr std::uint64_t kSizeUnit = 65'536;
// A page that no frame of so many needed goes back.
constexpr std::uint32_t kMostIdleFrames = 120;

}  // namespace

Result<std::unique_ptr<UploadHeap>> UploadHeap::create(device::Device& device, device::Timeline& timeline,
                                                       std::span<const std::uint32_t> memory_types,
                                                       const Options& options) {
    Options rounded = options;
    rounded.ring_bytes = align_up(std::max<std::uint64_t>(options.ring_bytes, 1), kSizeUnit);
    rounded.page_bytes = align_up(std::max<std::uint64_t>(options.page_bytes, 1), kSizeUnit);
    rounded.most_bytes = std::max(options.most_bytes, rounded.ring_bytes);
    std::unique_ptr<UploadHeap> heap(new UploadHeap(device, timeline, rounded));
    HEAPWRIGHT_ASSIGN(const auto requirements, device.resources().requirements(model::BufferDescription{
                                                   .size_bytes = rounded.ring_bytes, .usage = rounded.usage}));
    for (const std::uint32_t type : memory_types) {
        if (contract::admits(requirements.memory_type_bits, type) &&
            (device.facts().memory_types[type].property_flags & model::memory_property::kHostVisible) != 0)
            heap->memory_types_.push_back(MemoryTypeIndex{type});
    }
    if (heap->memory_types_.empty()) {
        return fail(Error{.code = ErrorCode::kNotSupported,
                          .message = "no host-visible memory type of the policy takes upload buffers",
                          .where = "memory_type_bits",
                          .value = requirements.memory_type_bits});
    }
    HEAPWRIGHT_TRY(heap->add_page(rounded.ring_bytes));
    heap->figures_.pages_made = 0;
    return heap;
}

UploadHeap::~UploadHeap() {
    retired_.release_completed(TimelineValue{~0ull}, [this](Memory&& memory) { destroy(memory); });
    for (const Memory& memory : large_of_frame_) destroy(memory);
    for (const auto& page : pages_) destroy(page->memory);
}

Result<UploadHeap::Memory> UploadHeap::make_memory(std::uint64_t size_bytes) {
    HEAPWRIGHT_ASSIGN(const auto requirements, device_.resources().requirements(model::BufferDescription{
                                                   .size_bytes = size_bytes, .usage = options_.usage}));
    std::optional<Error> first_error;
    for (const MemoryTypeIndex memory_type : memory_types_) {
        if (!contract::admits(requirements.memory_type_bits, memory_type.value)) continue;
        auto memory = make_memory_in(memory_type, size_bytes, requirements.size_bytes);
        if (contract::is_final(memory)) return memory;
        if (!first_error) first_error = std::move(memory.error());
    }
    if (first_error) return fail(std::move(*first_error));
    return fail(Error{.code = ErrorCode::kNotSupported,
                      .message = "none of the upload heap's memory types takes a page of this size",
                      .where = "memory_type_bits",
                      .value = requirements.memory_type_bits});
}

Result<device::AllocationId> UploadHeap::take(MemoryTypeIndex memory_type, std::uint64_t size_bytes) {
    const device::AllocationRequest request{.memory_type = memory_type, .size_bytes = size_bytes};
    return options_.accounts != nullptr ? options_.accounts->take_beside(request) : device_.memory().allocate(request);
}

void UploadHeap::give_back(const Memory& memory) {
    if (options_.accounts != nullptr)
        options_.accounts->give_back_beside(memory.allocation, memory.memory_type, memory.charged_bytes);
    else
        device_.memory().free(memory.allocation);
}

Result<UploadHeap::Memory> UploadHeap::make_memory_in(MemoryTypeIndex memory_type, std::uint64_t size_bytes,
                                                      std::uint64_t required_bytes) {
    Memory memory{
        .memory_type = memory_type, .charged_bytes = required_bytes, .allocation = {}, .buffer = {}, .bytes = {}};
    HEAPWRIGHT_ASSIGN(memory.allocation, take(memory_type, required_bytes));
    auto buffer = device_.resources().create_placed(
        {model::BufferDescription{.size_bytes = size_bytes, .usage = options_.usage}}, memory.allocation, 0);
    if (!buffer) {
        give_back(memory);
        return fail(std::move(buffer.error()));
    }
    memory.buffer = *buffer;
    auto bytes = device_.memory().map(memory.allocation);
    if (!bytes) {
        destroy(memory);
        return fail(std::move(bytes.error()));
    }
    memory.bytes = bytes->first(size_bytes);
    figures_.capacity_bytes += size_bytes;
    figures_.peak_capacity_bytes = std::max(figures_.peak_capacity_bytes, figures_.capacity_bytes);
    return memory;
}

void UploadHeap::destroy(const Memory& memory) {
    device_.resources().destroy(memory.buffer);
    give_back(memory);
    figures_.capacity_bytes -= memory.bytes.size();
}

Status UploadHeap::add_page(std::uint64_t size_bytes) {
    HEAPWRIGHT_ASSIGN(auto ring, suballoc::RingAllocator::create({.capacity = size_bytes}));
    HEAPWRIGHT_ASSIGN(const Memory memory, make_memory(size_bytes));
    pages_.push_back(std::make_unique<Page>(Page{.memory = memory, .ring = std::move(ring)}));
    ++figures_.pages_made;
    return {};
}

std::optional<UploadRange> UploadHeap::from_pages(std::uint64_t size_bytes, std::uint64_t alignment_bytes) {
    for (const auto& page : pages_) {
        const auto made = page->ring.allocate(size_bytes, alignment_bytes);
        if (!made) continue;
        page->is_open = true;
        figures_.peak_used_bytes = std::max(figures_.peak_used_bytes, used_locked());
        return UploadRange{.buffer = page->memory.buffer,
                           .memory = page->memory.allocation,
                           .offset_bytes = made->offset,
                           .bytes = page->memory.bytes.subspan(made->offset, size_bytes)};
    }
    return std::nullopt;
}

std::uint64_t UploadHeap::used_locked() const {
    std::uint64_t used = large_bytes_;
    for (const auto& page : pages_) used += page->ring.used();
    return used;
}

Error UploadHeap::exhausted(std::uint64_t size_bytes) const {
    return {.code = ErrorCode::kExhausted,
            .message = fmt::format(
                "the upload heap holds {} bytes in {} pages and {} of one upload, {} of them in use by frames that the "
                "device has not passed or by this one, and may hold {}",
                figures_.capacity_bytes, pages_.size(), large_of_frame_.size() + retired_.pending_count(),
                used_locked(), options_.most_bytes),
            .where = {},
            .value = size_bytes,
            .limit = options_.most_bytes};
}

bool UploadHeap::can_ever_fit(std::uint64_t size_bytes) const {
    const std::uint64_t beside_ring = options_.most_bytes - options_.ring_bytes;
    if (size_bytes > options_.page_bytes) return checked_align_up(size_bytes, kSizeUnit).value_or(~0ull) <= beside_ring;
    return size_bytes <= options_.ring_bytes || options_.page_bytes <= beside_ring;
}

Status UploadHeap::poll_locked() {
    HEAPWRIGHT_ASSIGN(const TimelineValue completed, timeline_.completed());
    release_locked(completed);
    return {};
}

// False when no frame is unfinished, or the oldest one is still open: waiting helps nobody then.
Result<bool> UploadHeap::wait_for_oldest_frame(std::unique_lock<std::mutex>& lock) {
    std::optional<TimelineValue> oldest = retired_.oldest_value();
    for (const auto& page : pages_) {
        const auto value = page->ring.oldest_frame();
        if (value && (!oldest || *value < *oldest)) oldest = value;
    }
    if (!oldest) return false;
    SteadyClock clock;
    const std::uint64_t from_ns = clock.now_ns();
    lock.unlock();
    Status waited = timeline_.wait(*oldest, kWaitTimeoutNs);
    lock.lock();
    if (!waited) {
        if (waited.error().code == ErrorCode::kExhausted) return false;
        return fail(std::move(waited.error()));
    }
    figures_.stalled_ns += clock.now_ns() - from_ns;
    HEAPWRIGHT_TRY(poll_locked());
    return true;
}

Result<UploadRange> UploadHeap::from_large_page(std::unique_lock<std::mutex>& lock, std::uint64_t size_bytes) {
    const auto has_room = [&] { return figures_.capacity_bytes + size_bytes <= options_.most_bytes; };
    if (!has_room()) HEAPWRIGHT_TRY(poll_locked());
    bool has_stalled = false;
    while (!has_room()) {
        if (give_back_empty_page()) continue;
        HEAPWRIGHT_ASSIGN(const bool waited, wait_for_oldest_frame(lock));
        if (waited && !std::exchange(has_stalled, true)) ++figures_.stalls;
        if (!waited && !has_room()) return fail(exhausted(size_bytes));
    }
    HEAPWRIGHT_ASSIGN(const Memory memory, make_memory(size_bytes));
    ++figures_.large_pages_made;
    large_of_frame_.push_back(memory);
    large_bytes_ += size_bytes;
    figures_.peak_used_bytes = std::max(figures_.peak_used_bytes, used_locked());
    return UploadRange{.buffer = memory.buffer, .memory = memory.allocation, .offset_bytes = 0, .bytes = memory.bytes};
}

Result<UploadRange> UploadHeap::allocate(std::uint64_t size_bytes, std::uint64_t alignment_bytes) {
    if (size_bytes == 0 || !suballoc::is_alignment(alignment_bytes)) {
        return fail(Error{.code = ErrorCode::kInvalidArgument,
                          .message = "an upload has bytes and a power of two as alignment",
                          .where = {},
                          .value = size_bytes == 0 ? size_bytes : alignment_bytes});
    }
    std::unique_lock lock(mutex_);
    if (!can_ever_fit(size_bytes)) return fail(exhausted(size_bytes));
    if (size_bytes > options_.page_bytes)
        return from_large_page(lock, align_up(size_bytes, kSizeUnit)).map([&](auto range) {
            range.bytes = range.bytes.first(size_bytes);
            return range;
        });
    if (const auto range = from_pages(size_bytes, alignment_bytes)) return *range;
    HEAPWRIGHT_TRY(poll_locked());
    if (const auto range = from_pages(size_bytes, alignment_bytes)) return *range;

    std::optional<Error> growth_failed;
    if (figures_.capacity_bytes + options_.page_bytes <= options_.most_bytes) {
        if (Status grown = add_page(options_.page_bytes); !grown) growth_failed = std::move(grown.error());
        if (const auto range = from_pages(size_bytes, alignment_bytes)) return *range;
    }
    bool has_stalled = false;
    while (true) {
        HEAPWRIGHT_ASSIGN(const bool waited, wait_for_oldest_frame(lock));
        if (waited && !std::exchange(has_stalled, true)) ++figures_.stalls;
        if (const auto range = from_pages(size_bytes, alignment_bytes)) return *range;
        if (!waited) break;
    }
    return fail(growth_failed ? std::move(*growth_failed) : exhausted(size_bytes));
}

Status UploadHeap::flush(const UploadRange& range) {
    return device_.memory().flush(range.memory, range.offset_bytes, range.bytes.size());
}

Status UploadHeap::finish_frame(TimelineValue value) {
    const std::lock_guard lock(mutex_);
    for (const auto& page : pages_) {
        page->idle_frames = page->is_open ? 0 : page->idle_frames + 1;
        if (std::exchange(page->is_open, false)) HEAPWRIGHT_TRY(page->ring.finish_frame(value));
    }
    for (const Memory& memory : large_of_frame_) retired_.push(value, memory);
    large_of_frame_.clear();
    return {};
}

bool UploadHeap::give_back_empty_page() {
    const auto empty = std::find_if(pages_.begin() + 1, pages_.end(),
                                    [](const auto& page) { return !page->is_open && page->ring.used() == 0; });
    if (empty == pages_.end()) return false;
    destroy((*empty)->memory);
    pages_.erase(empty);
    return true;
}

void UploadHeap::release_locked(TimelineValue completed) {
    for (const auto& page : pages_) page->ring.release_completed(completed);
    retired_.release_completed(completed, [this](Memory&& memory) {
        large_bytes_ -= memory.bytes.size();
        destroy(memory);
    });
    for (std::size_t i = pages_.size(); i-- > 1;) {
        const Page& page = *pages_[i];
        if (page.is_open || page.idle_frames < kMostIdleFrames || page.ring.used() != 0) continue;
        destroy(page.memory);
        pages_.erase(pages_.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

void UploadHeap::release_completed(TimelineValue completed) {
    const std::lock_guard lock(mutex_);
    release_locked(completed);
}

UploadFigures UploadHeap::figures() const {
    const std::lock_guard lock(mutex_);
    UploadFigures figures = figures_;
    figures.used_bytes = used_locked();
    return figures;
}

Status UploadHeap::validate_invariants() const {
    const std::lock_guard lock(mutex_);
    std::uint64_t large = figures_.capacity_bytes;
    for (const auto& page : pages_) {
        HEAPWRIGHT_TRY(page->ring.validate_invariants());
        large -= page->memory.bytes.size();
    }
    if (large != large_bytes_) {
        return fail(Error{.code = ErrorCode::kInvariantBroken,
                          .message = "the pages of one upload do not hold what the upload heap counts",
                          .value = large_bytes_,
                          .limit = large});
    }
    return {};
}

Result<UploadRange> ContextUploads::allocate_slow(std::uint64_t size_bytes, std::uint64_t alignment_bytes) {
    // The larger of two powers of two suits both; anything else the heap refuses as it was asked for.
    const bool is_valid = size_bytes != 0 && suballoc::is_alignment(alignment_bytes);
    const bool is_block = is_valid && size_bytes <= block_bytes_ / 4;
    HEAPWRIGHT_ASSIGN(UploadRange made,
                      heap_.allocate(is_block ? block_bytes_ : size_bytes,
                                     is_valid ? std::max(alignment_bytes, kLeastAlignmentBytes) : alignment_bytes));
    made.context = context_;
    made.frame = frame_;
    written_.push_back(made);
    if (!is_block) return made;
    block_ = made;
    next_ = made.offset_bytes + size_bytes;
    end_ = made.offset_bytes + made.bytes.size();
    made.bytes = made.bytes.first(size_bytes);
    return made;
}

void ContextUploads::note_earlier(const UploadRange& range) {
    const auto covers = [&](const UploadRange& written) {
        return written.buffer == range.buffer && written.offset_bytes <= range.offset_bytes &&
               range.offset_bytes + range.bytes.size() <= written.offset_bytes + written.bytes.size();
    };
    if (std::ranges::none_of(written_, covers)) written_.push_back(range);
}

Status ContextUploads::flush() {
    for (const UploadRange& range : written_) HEAPWRIGHT_TRY(heap_.flush(range));
    return {};
}

void ContextUploads::discard() {
    written_.clear();
    block_ = {};
    next_ = end_ = 0;
}

}  // namespace heapwright::frame
