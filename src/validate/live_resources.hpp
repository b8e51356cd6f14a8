// The resources of a scenario that are alive, by the number that its operations know them by, how many there were at
// the most, and the bytes in use: theirs, and of those that frames in flight still use. Sizes in bytes. Not
// thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "validate/allocator_under_test.hpp"

namespace heapwright::validate {

struct LiveResource {
    std::uint64_t id = 0;
    AllocatorUnderTest::Created created;
    std::uint64_t size_bytes = 0;  // as the device requires
    bool is_image = false;
    bool is_verifiable = false;
};

class LiveResources {
public:
    // Good until the next call of add(), take() or clear().
    LiveResource& add(const LiveResource& resource) {
        images_ += resource.is_image ? 1 : 0;
        used_bytes_ += resource.size_bytes;
        position_.emplace(resource.id, all_.size());
        all_.push_back(resource);
        peak_images_ = std::max(peak_images_, images_);
        peak_buffers_ = std::max(peak_buffers_, all_.size() - images_);
        peak_used_bytes_ = std::max(peak_used_bytes_, used_bytes_);
        return all_.back();
    }

    [[nodiscard]] const LiveResource* find(std::uint64_t id) const {
        const auto found = position_.find(id);
        return found == position_.end() ? nullptr : &all_[found->second];
    }

    // One that find() has.
    void remove(std::uint64_t id) {
        const auto found = position_.find(id);
        LiveResource& place = all_[found->second];
        images_ -= place.is_image ? 1 : 0;
        given_up_.back() += place.size_bytes;
        place = all_.back();
        position_[place.id] = found->second;
        all_.pop_back();
        position_.erase(id);
    }

    void end_frame() { given_up_.push_back(0); }
    // Of the frames that ended, the one that was in flight longest is through.
    void retire_frame() {
        used_bytes_ -= given_up_.front();
        given_up_.pop_front();
    }

    void clear() {
        all_.clear();
        position_.clear();
    }

    [[nodiscard]] const std::vector<LiveResource>& all() const { return all_; }
    [[nodiscard]] std::uint64_t used_bytes() const { return used_bytes_; }
    [[nodiscard]] std::uint64_t peak_images() const { return peak_images_; }
    [[nodiscard]] std::uint64_t peak_buffers() const { return peak_buffers_; }
    [[nodiscard]] std::uint64_t peak_used_bytes() const { return peak_used_bytes_; }

private:
    std::vector<LiveResource> all_;
    std::unordered_map<std::uint64_t, std::size_t> position_;  // id -> all_
    std::uint64_t images_ = 0;
    std::uint64_t used_bytes_ = 0;
    std::deque<std::uint64_t> given_up_{0};  // bytes of each frame in flight, and of the one that is recorded
    std::uint64_t peak_images_ = 0;
    std::uint64_t peak_buffers_ = 0;
    std::uint64_t peak_used_bytes_ = 0;
};

}  // namespace heapwright::validate
