#include "pool/resource.hpp"

#include <utility>

#include "pool/memory_pool.hpp"

namespace heapwright::pool {

void Resource::reset() noexcept {
    if (pool_ == nullptr) return;
    std::exchange(pool_, nullptr)
        ->release({.resource = id_,
                   .placement = placement_,
                   .dedicated = dedicated_,
                   .alias = std::move(alias_),
                   .last_use = last_use_});
}

void Resource::swap(Resource& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(id_, other.id_);
    std::swap(requirements_, other.requirements_);
    std::swap(placement_, other.placement_);
    std::swap(dedicated_, other.dedicated_);
    std::swap(alias_, other.alias_);
    std::swap(last_use_, other.last_use_);
}

}  // namespace heapwright::pool
