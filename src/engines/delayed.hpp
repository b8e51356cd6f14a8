// Work that takes a device as long as an example's delay says (examples.hpp), and changes nothing that another queue
// sees: each queue has a buffer of its own for it. Without a delay the work is what it was, and nothing is made.
// Plain; the conductor outlives it. Queues are made known before the program begins.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engines/example_tools.hpp"
#include "engines/examples.hpp"

namespace heapwright::engines {

class Delayed {
public:
    // A few words have a lane each: long for the device, short for the host that computes the same.
    static constexpr std::uint64_t kWordsBytes = 64;
    static constexpr std::uint64_t kPieceBytes = 4u << 20;

    Delayed(Conductor& conductor, const ExampleSettings& settings) : c_(conductor), settings_(settings) {}

    void add(ActorIndex queue, ActorKind kind) {
        const std::string of = "delay of " + c_.program().schedule.actors[queue.value].name;
        if (kind == ActorKind::kCopy) {
            if (settings_.delay.copies == 0) return;
            source_ = c_.buffer(of + ", source", kPieceBytes, Place::kUpload);
            buffers_.emplace(queue.value, Own{c_.buffer(of, kPieceBytes), true});
        } else if (settings_.delay.rounds != 0) {
            buffers_.emplace(queue.value, Own{c_.buffer(of, 256), false});
        }
    }

    [[nodiscard]] std::vector<device::Work> delay(ActorIndex queue, std::uint32_t times = 1) const {
        const auto own = buffers_.find(queue.value);
        if (own == buffers_.end()) return {};
        const Piece piece{own->second.buffer};
        if (own->second.copies)
            return std::vector<device::Work>(settings_.delay.copies * times, copy({*source_}, piece, kPieceBytes));
        return std::vector<device::Work>(times, transform(piece, piece, kWordsBytes, 5, settings_.delay.rounds));
    }

    // The work after the delay.
    [[nodiscard]] std::vector<device::Work> late(ActorIndex queue, std::vector<device::Work> work) const {
        std::vector<device::Work> all = delay(queue);
        all.insert(all.end(), std::make_move_iterator(work.begin()), std::make_move_iterator(work.end()));
        return all;
    }

private:
    struct Own {
        ResourceIndex buffer;
        bool copies = false;
    };

    Conductor& c_;
    const ExampleSettings& settings_;
    std::optional<ResourceIndex> source_;
    std::map<std::uint32_t, Own> buffers_;  // by actor
};

// The pictures of a queue that takes what others write: read at once, and once more after the delay.
class Pictures {
public:
    Pictures(Conductor& conductor, const ExampleSettings& settings, const Delayed& delayed, std::uint64_t count,
             bool twice = true)
        : size_bytes_(settings.piece_bytes()),
          delayed_(delayed),
          pictures_(conductor.buffer("pictures", size_bytes_ * count)) {
        if (twice && settings.delay.is_any()) late_ = conductor.buffer("late pictures", size_bytes_ * count);
    }

    [[nodiscard]] Piece at(std::uint64_t number) const { return {pictures_, size_bytes_ * number}; }

    [[nodiscard]] std::vector<device::Work> draw(ActorIndex queue, Piece from, ResourceIndex image,
                                                 std::uint64_t number) const {
        std::vector<device::Work> all = engines::draw(from, image, at(number));
        if (!late_) return all;
        for (device::Work& more : delayed_.late(queue, engines::draw(from, image, {*late_, size_bytes_ * number})))
            all.push_back(std::move(more));
        return all;
    }

private:
    std::uint64_t size_bytes_;
    const Delayed& delayed_;
    ResourceIndex pictures_;
    std::optional<ResourceIndex> late_;
};

}  // namespace heapwright::engines
