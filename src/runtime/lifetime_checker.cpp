#include "heapwright/runtime/lifetime_checker.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace heapwright::runtime {

std::string_view to_string(LifetimeRule rule) {
    constexpr std::array<std::string_view, 5> kNames{
        "released before its last use was recorded", "dynamic allocation kept across frames",
        "deferred context kept across frames", "context used by two threads", "dynamic descriptors of another context"};
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

void LifetimeChecker::used(device::ResourceId resource, const Place& place) {
    const std::lock_guard lock(mutex_);
    if (const auto release = released_.find(resource.value); release != released_.end()) {
        add_locked(LifetimeRule::kReleasedBeforeLastUse, resource.value, place.frame, place.command_list,
                   fmt::format("resource {} is used by context {} in frame {} (command list {}), but was released in "
                               "frame {} with command list {}",
                               resource.value, place.context, place.frame, place.command_list, release->second.frame,
                               release->second.command_list));
    }
    if (!place.is_deferred) return;
    if (users_[resource.value].emplace(place.context, place.frame).second)
        open_uses_[place.context].push_back(resource.value);
}

void LifetimeChecker::released(device::ResourceId resource, std::uint64_t frame, std::uint64_t command_list) {
    const std::lock_guard lock(mutex_);
    released_.insert_or_assign(resource.value, Release{.frame = frame, .command_list = command_list});
    const auto users = users_.find(resource.value);
    if (users == users_.end()) return;
    for (const auto& [context, used_in] : users->second) {
        add_locked(LifetimeRule::kReleasedBeforeLastUse, resource.value, frame, command_list,
                   fmt::format("resource {} is released in frame {} with command list {}, but deferred context {} used "
                               "it in frame {} and is not submitted",
                               resource.value, frame, command_list, context, used_in));
    }
}

void LifetimeChecker::destroyed(device::ResourceId resource) {
    const std::lock_guard lock(mutex_);
    released_.erase(resource.value);
}

void LifetimeChecker::submitted(std::uint32_t context) {
    const std::lock_guard lock(mutex_);
    const auto open = open_uses_.find(context);
    if (open == open_uses_.end()) return;
    for (const std::uint64_t resource : open->second) {
        const auto users = users_.find(resource);
        if (users == users_.end()) continue;
        users->second.erase(context);
        if (users->second.empty()) users_.erase(users);
    }
    open->second.clear();
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

void LifetimeChecker::deferred_left_open(const Place& place) {
    const std::lock_guard lock(mutex_);
    add_locked(LifetimeRule::kDeferredAcrossFrames, place.context, place.frame, place.command_list,
               fmt::format("deferred context {} is not submitted at the end of frame {} (next command list {})",
                           place.context, place.frame, place.command_list));
}

void LifetimeChecker::second_thread(const Place& place) {
    const std::lock_guard lock(mutex_);
    add_locked(LifetimeRule::kContextUsedByTwoThreads, place.context, place.frame, place.command_list,
               fmt::format("context {} is used by a second thread in frame {} (next command list {})", place.context,
                           place.frame, place.command_list));
}

std::vector<BrokenRule> LifetimeChecker::broken() const {
    const std::lock_guard lock(mutex_);
    return broken_;
}

std::uint64_t LifetimeChecker::broken_count() const {
    const std::lock_guard lock(mutex_);
    return count_;
}

}  // namespace heapwright::runtime
