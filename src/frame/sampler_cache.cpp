#include "frame/sampler_cache.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

namespace heapwright::frame {

std::size_t SamplerCache::Hash::operator()(const device::SamplerDescription& sampler) const noexcept {
    // Positive and negative zero are equal descriptions.
    const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value + 0.0f); };
    std::uint64_t hash = 0;
    for (const std::uint64_t part :
         {static_cast<std::uint64_t>(sampler.filter), static_cast<std::uint64_t>(sampler.address_u),
          static_cast<std::uint64_t>(sampler.address_v), static_cast<std::uint64_t>(sampler.max_anisotropy),
          static_cast<std::uint64_t>(bits(sampler.min_lod)), static_cast<std::uint64_t>(bits(sampler.max_lod)),
          static_cast<std::uint64_t>(bits(sampler.lod_bias))})
        hash = (hash ^ part) * 0x9E37'79B9'7F4A'7C15ull + (hash >> 29);
    return static_cast<std::size_t>(hash ^ (hash >> 32));
}

Error SamplerCache::with_figures(Error error) const {
    error.message = fmt::format("no descriptor for one sampler more: {} distinct samplers are in use by {} users ({})",
                                figures_.distinct, figures_.users, error.message);
    return error;
}

Result<SamplerCache::Entry> SamplerCache::make(const device::SamplerDescription& sampler) {
    Entry entry;
    HEAPWRIGHT_ASSIGN(entry.cpu, cpu_.allocate(1));
    HEAPWRIGHT_TRY(source_.write(entry.cpu.heap(), entry.cpu.first_index(), sampler));
    HEAPWRIGHT_ASSIGN(entry.visible, visible_.allocate(1));
    HEAPWRIGHT_TRY(
        source_.copy(entry.visible.heap(), entry.visible.first_index(), entry.cpu.heap(), entry.cpu.first_index(), 1));
    return entry;
}

Result<SamplerCache::Reference> SamplerCache::get(const device::SamplerDescription& sampler) {
    // It equals nothing, not even itself: the entry could be found neither to share it nor to end it.
    if (std::isnan(sampler.min_lod) || std::isnan(sampler.max_lod) || std::isnan(sampler.lod_bias)) {
        return fail(ErrorCode::kInvalidArgument,
                    fmt::format("a sampler's levels of detail are numbers: min_lod {}, max_lod {}, lod_bias {}",
                                sampler.min_lod, sampler.max_lod, sampler.lod_bias));
    }
    const std::lock_guard lock(mutex_);
    auto found = entries_.find(sampler);
    if (found == entries_.end()) {
        auto made = make(sampler);
        if (!made) return fail(with_figures(std::move(made.error())));
        found = entries_.emplace(sampler, std::move(*made)).first;
        ++figures_.distinct;
        figures_.peak_distinct = std::max(figures_.peak_distinct, figures_.distinct);
    } else {
        ++figures_.shared;
    }
    ++found->second.users;
    ++figures_.users;
    return Reference(*this, *found);
}

void SamplerCache::leave(Map::value_type& entry) {
    const std::lock_guard lock(mutex_);
    --figures_.users;
    if (--entry.second.users != 0) return;
    --figures_.distinct;
    entries_.erase(entries_.find(entry.first));
}

SamplerCache::Figures SamplerCache::figures() const {
    const std::lock_guard lock(mutex_);
    return figures_;
}

}  // namespace heapwright::frame
