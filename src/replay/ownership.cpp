#include "replay/ownership.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include <fmt/format.h>

namespace heapwright::replay {
namespace {

constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();

// An image has no range.
std::uint64_t end_of(const device::OwnershipTransfer& transfer) {
    return transfer.size_bytes == 0 ? kEnd : transfer.offset_bytes + transfer.size_bytes;
}

bool same(const device::OwnershipTransfer& a, const device::OwnershipTransfer& b) {
    return a.from == b.from && a.to == b.to && a.offset_bytes == b.offset_bytes && a.size_bytes == b.size_bytes;
}

}  // namespace

void ReplayOwnership::cut(std::uint64_t at) {
    const auto next = std::ranges::upper_bound(parts_, at, {}, &Part::begin);
    Part part = *std::prev(next);
    if (part.begin == at) return;
    part.begin = at;
    parts_.insert(next, part);
}

std::vector<ReplayOwnership::Part*> ReplayOwnership::parts(std::uint64_t begin, std::uint64_t end) {
    cut(begin);
    if (end != kEnd) cut(end);
    std::vector<Part*> inside;
    for (Part& part : parts_) {
        if (part.begin >= begin && part.begin < end) inside.push_back(&part);
    }
    return inside;
}

std::optional<std::string> ReplayOwnership::use(QueueFamilyIndex family, std::uint64_t begin, std::uint64_t end) {
    std::optional<std::string> wrong;
    for (Part* part : parts(begin, end)) {
        if (part->released) {
            wrong = fmt::format("family {} uses bytes that were released to family {} and not acquired", family.value,
                                part->released->to.value);
        } else if (part->owner && *part->owner != family) {
            wrong = fmt::format("family {} uses bytes that belong to family {}", family.value, part->owner->value);
        }
        part->owner = family;
        part->released.reset();
    }
    return wrong;
}

std::optional<std::string> ReplayOwnership::release(QueueFamilyIndex family,
                                                    const device::OwnershipTransfer& transfer) {
    std::optional<std::string> wrong = use(family, transfer.offset_bytes, end_of(transfer));
    if (transfer.from != family || transfer.from == transfer.to)
        wrong = fmt::format("a queue of family {} releases from family {} to family {}", family.value,
                            transfer.from.value, transfer.to.value);
    for (Part* part : parts(transfer.offset_bytes, end_of(transfer))) part->released = transfer;
    return wrong;
}

std::optional<std::string> ReplayOwnership::acquire(QueueFamilyIndex family,
                                                    const device::OwnershipTransfer& transfer) {
    std::optional<std::string> wrong;
    for (Part* part : parts(transfer.offset_bytes, end_of(transfer))) {
        if (transfer.to != family || !part->released || !same(*part->released, transfer))
            wrong = fmt::format("family {} acquires {} bytes at {} from family {}, and no such release went before",
                                family.value, transfer.size_bytes, transfer.offset_bytes, transfer.from.value);
        part->owner = family;
        part->released.reset();
    }
    return wrong;
}

bool ReplayOwnership::is_under_way() const {
    return std::ranges::any_of(parts_, [](const Part& part) { return part.released.has_value(); });
}

}  // namespace heapwright::replay
