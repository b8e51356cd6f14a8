// What a stream has alive, step by step. Sizes in packed bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <variant>

#include "workload/draw.hpp"
#include "workload/stream.hpp"

namespace heapwright::workload {

struct StreamAccount {
    struct Alive {
        std::uint64_t images = 0;
        std::uint64_t buffers = 0;
        std::uint64_t packed_bytes = 0;
    };
    Alive live;
    Alive peak;  // each figure's own largest value
    std::uint64_t frames = 0;
    std::uint64_t churn_steps = 0;  // creations after the load, but for those that live for a frame

    void add(const Operation& operation) {
        if (const auto* created = std::get_if<Create>(&operation)) {
            const bool image = std::holds_alternative<model::ImageDescription>(created->resource);
            const std::uint64_t bytes = packed_size_bytes(created->resource);
            sizes_.emplace(created->id, std::pair(image, bytes));
            ++(image ? live.images : live.buffers);
            live.packed_bytes += bytes;
            peak.images = std::max(peak.images, live.images);
            peak.buffers = std::max(peak.buffers, live.buffers);
            peak.packed_bytes = std::max(peak.packed_bytes, live.packed_bytes);
            if (frames != 0 && created->lifetime != model::Lifetime::kFrame) ++churn_steps;
        } else if (const auto* destroyed = std::get_if<Destroy>(&operation)) {
            const auto [image, bytes] = sizes_.at(destroyed->id);
            --(image ? live.images : live.buffers);
            live.packed_bytes -= bytes;
            sizes_.erase(destroyed->id);
        } else {
            ++frames;
        }
    }

private:
    std::unordered_map<std::uint64_t, std::pair<bool, std::uint64_t>> sizes_;  // id -> (is an image, packed bytes)
};

// To its end.
inline StreamAccount account_of(ResourceStream& stream) {
    StreamAccount account;
    while (const auto operation = stream.next()) account.add(*operation);
    return account;
}

}  // namespace heapwright::workload
