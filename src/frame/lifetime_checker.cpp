#include "frame/lifetime_checker.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace heapwright::frame {
namespace {

// Takes [first, first + count) out of ranges that do not overlap; what sticks out of it stays.
template <class Ranges>
void cut_out(Ranges& ranges, std::uint32_t first, std::uint32_t count) {
    const std::uint64_t end = std::uint64_t{first} + count;
    auto at = ranges.lower_bound(first);
    if (at != ranges.begin() && std::prev(at)->first + std::uint64_t{std::prev(at)->second.count} > first) --at;
    while (at != ranges.end() && at->first < end) {
        const auto [from, range] = *at;
        at = ranges.erase(at);
        const std::uint64_t range_end = std::uint64_t{from} + range.count;
        auto rest = range;
        rest.count = first - from;
        if (from < first) ranges.insert_or_assign(from, rest);
        rest.count = static_cast<std::uint32_t>(range_end - end);
        if (range_end > end) ranges.insert_or_assign(static_cast<std::uint32_t>(end), rest);
    }
}

// There are several heaps of views, and one of each other kind.
std::string text_of(DescriptorName name, device::DescriptorHeapId heap, std::uint32_t index) {
    switch (name) {
        case DescriptorName::kView: return fmt::format("view {} of heap {}", index, heap.value);
        case DescriptorName::kSamplerDescriptor: return fmt::format("sampler descriptor {}", index);
        case DescriptorName::kDescriptor: break;
    }
    return fmt::format("descriptor {}", index);
}

}  // namespace

std::string_view to_string(LifetimeRule rule) {
    constexpr std::array<std::string_view, 8> kNames{"released before its last use was recorded",
                                                     "dynamic allocation kept across frames",
                                                     "deferred context kept across frames",
                                                     "context used by two threads at once",
                                                     "dynamic descriptors of another context",
                                                     "dynamic descriptors used after their submission",
                                                     "dynamic buffer mapped while its context is submitted",
                                                     "released without one of its uses"};
    return kNames[static_cast<std::size_t>(rule)];
}

void LifetimeChecker::add_locked(LifetimeRule rule, std::uint64_t object, std::uint64_t frame,
                                 std::uint64_t command_list, std::string statement) {
    ++count_;
    if (broken_.size() < kMostKept) {
        broken_.push_back({.rule = rule,
                           .object = object,
                           .frame = frame,
                           .command_list = command_list,
                           .statement = std::move(statement)});
    }
}

void LifetimeChecker::used_too_late(std::string object, std::uint64_t id, const Place& place, const Release& release) {
    add_locked(
        LifetimeRule::kReleasedBeforeLastUse, id, place.frame, place.command_list,
        fmt::format("{} is used by context {} in frame {} (command list {}), but was released in frame {} with "
                    "command list {}",
                    object, place.context, place.frame, place.command_list, release.frame, release.command_list));
}

void LifetimeChecker::used_locked(Objects& objects, std::uint64_t id, const Place& place) {
    if (const auto release = objects.released.find(id); release != objects.released.end())
        used_too_late(fmt::format("{} {}", objects.name, id), id, place, release->second);
    std::vector<OpenUse>& open = objects.uses[id].open;
    if (std::ranges::find(open, place.context, &OpenUse::context) != open.end()) return;
    open.push_back({.context = place.context, .queue = place.queue});
    used_by_[place.context].emplace_back(&objects, id);
}

void LifetimeChecker::retired(std::uint32_t context, std::size_t queue, std::optional<std::uint64_t> command_list) {
    const std::lock_guard lock(mutex_);
    for (const auto& [objects, id] : used_by_[context]) {
        const auto found = objects->uses.find(id);
        if (found == objects->uses.end()) continue;
        std::erase_if(found->second.open, [&](const OpenUse& use) { return use.context == context; });
        TimelineValue& end = found->second.ends[queue];
        if (command_list) end = std::max(end, TimelineValue{*command_list + 1});
    }
    used_by_[context].clear();
}

void LifetimeChecker::last_uses_named_locked(const Objects& objects, std::uint64_t id, const Release& release,
                                             const QueueValues& last_uses, const QueueValues& completed) {
    const auto found = objects.uses.find(id);
    if (found == objects.uses.end()) return;
    const auto tell = [&](std::string use) {
        add_locked(LifetimeRule::kUseLeftOut, id, release.frame, release.command_list,
                   fmt::format("{} {} is released in frame {} with command list {}, and its use {} is left out",
                               objects.name, id, release.frame, release.command_list, use));
    };
    for (const OpenUse& use : found->second.open) {
        if (last_uses[use.queue].value != ~0ull)
            tell(fmt::format("in context {} of queue {}, which is open,", use.context, use.queue));
    }
    for (std::size_t queue = 0; queue < last_uses.size(); ++queue) {
        const TimelineValue end = found->second.ends[queue];
        if (end > last_uses[queue] && end > completed[queue])
            tell(fmt::format("in command list {} of queue {}, which is not over,", end.value - 1, queue));
    }
}

void LifetimeChecker::destroyed_locked(Objects& objects, std::uint64_t id) {
    objects.uses.erase(id);
    if (!objects.released.contains(id)) return;
    objects.destroyed.push(id);
    if (objects.destroyed.size() <= kMostDestroyed) return;
    objects.released.erase(objects.destroyed.front());
    objects.destroyed.pop();
}

void LifetimeChecker::descriptors_allocated(device::DescriptorHeapId heap, std::uint32_t first, std::uint32_t count) {
    const std::lock_guard lock(mutex_);
    if (const auto found = released_descriptors_.find(heap.value); found != released_descriptors_.end())
        cut_out(found->second, first, count);
}

void LifetimeChecker::descriptors_used(DescriptorName name, device::DescriptorHeapId heap, std::uint32_t first,
                                       std::uint32_t count, const Place& place) {
    const std::lock_guard lock(mutex_);
    const auto found = released_descriptors_.find(heap.value);
    if (found == released_descriptors_.end()) return;
    if (const auto after = found->second.lower_bound(first + count); after != found->second.begin()) {
        const auto& [from, range] = *std::prev(after);
        if (from + std::uint64_t{range.count} > first) {
            const std::uint32_t gone = std::max(first, from);
            used_too_late(text_of(name, heap, gone), gone, place, range.release);
        }
    }
}

void LifetimeChecker::descriptors_released(device::DescriptorHeapId heap, std::uint32_t first, std::uint32_t count,
                                           const Release& release) {
    const std::lock_guard lock(mutex_);
    ReleasedRanges& released = released_descriptors_[heap.value];
    cut_out(released, first, count);
    released.insert_or_assign(first, ReleasedRange{.count = count, .release = release});
}

void LifetimeChecker::descriptor_heap_gone(device::DescriptorHeapId heap) {
    const std::lock_guard lock(mutex_);
    if (!released_descriptors_.contains(heap.value)) return;
    gone_heaps_.push(heap.value);
    if (gone_heaps_.size() <= kMostGoneHeaps) return;
    released_descriptors_.erase(gone_heaps_.front());
    gone_heaps_.pop();
}

void LifetimeChecker::dynamic_used(const Place& place, std::uint64_t object, std::uint64_t made_in_frame,
                                   std::uint32_t made_by_context, const char* what) {
    if (made_in_frame == place.frame && made_by_context == place.context) [[likely]]
        return;
    const std::lock_guard lock(mutex_);
    if (made_in_frame != place.frame) {
        add_locked(LifetimeRule::kDynamicKeptAcrossFrames, object, place.frame, place.command_list,
                   fmt::format("{} {} of frame {} is used in frame {} (command list {}) by context {}", what, object,
                               made_in_frame, place.frame, place.command_list, place.context));
    }
    if (made_by_context != place.context) {
        add_locked(LifetimeRule::kForeignDynamicDescriptors, object, place.frame, place.command_list,
                   fmt::format("{} {} of context {} is used by context {} in frame {} (command list {})", what, object,
                               made_by_context, place.context, place.frame, place.command_list));
    }
}

void LifetimeChecker::row_used_after_submission(const Place& place, std::uint64_t object) {
    const std::lock_guard lock(mutex_);
    add_locked(
        LifetimeRule::kDynamicUsedAfterSubmission, object, place.frame, place.command_list,
        fmt::format("dynamic descriptor {} is used by context {} in frame {} (command list {}), but went back when "
                    "the context was submitted before",
                    object, place.context, place.frame, place.command_list));
}

void LifetimeChecker::mapped_when_submitted(const Place& place, std::uint32_t count) {
    const std::lock_guard lock(mutex_);
    add_locked(LifetimeRule::kMappedWhenSubmitted, place.context, place.frame, place.command_list,
               fmt::format("{} dynamic buffers are mapped while context {} is submitted in frame {} (command list {})",
                           count, place.context, place.frame, place.command_list));
}

void LifetimeChecker::deferred_left_open(const Place& place, std::uint64_t frame_that_ends) {
    const std::lock_guard lock(mutex_);
    add_locked(
        LifetimeRule::kDeferredAcrossFrames, place.context, place.frame, place.command_list,
        fmt::format("deferred context {} was begun in frame {} and is not submitted at the end of frame {} (next "
                    "command list {})",
                    place.context, place.frame, frame_that_ends, place.command_list));
}

void LifetimeChecker::second_thread(const Place& place) {
    const std::lock_guard lock(mutex_);
    add_locked(LifetimeRule::kContextUsedByTwoThreads, place.context, place.frame, place.command_list,
               fmt::format("context {} is used by two threads at once in frame {} (next command list {})",
                           place.context, place.frame, place.command_list));
}

std::vector<BrokenRule> LifetimeChecker::broken() const {
    const std::lock_guard lock(mutex_);
    return broken_;
}

std::uint64_t LifetimeChecker::broken_count() const {
    const std::lock_guard lock(mutex_);
    return count_;
}

}  // namespace heapwright::frame
