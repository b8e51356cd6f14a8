#include "frame/dynamic_suballocations_manager.hpp"

#include <utility>

namespace heapwright::frame {

Result<DescriptorHeapAllocation> DynamicSuballocationsManager::take_chunk(std::uint32_t count) {
    if (count <= chunk_ && ahead_.empty() && last_equal_chunks_ > equal_chunks_ + 1) {
        ++locks_taken_;
        const std::uint64_t most = std::min(last_equal_chunks_ - equal_chunks_, kMostAhead);
        reserved_ += heap_.take_chunks_ahead(static_cast<std::uint32_t>(most), ahead_);
    }
    if (count <= chunk_ && !ahead_.empty()) {
        DescriptorHeapAllocation chunk = std::move(ahead_.back());
        ahead_.pop_back();
        return chunk;
    }
    ++locks_taken_;
    HEAPWRIGHT_ASSIGN(DescriptorHeapAllocation chunk, heap_.allocate_dynamic(std::max(count, chunk_)));
    reserved_ += chunk.count();
    return chunk;
}

Result<DynamicDescriptors> DynamicSuballocationsManager::allocate_in_new_chunk(std::uint32_t count) {
    HEAPWRIGHT_ASSIGN(DescriptorHeapAllocation chunk, take_chunk(count));
    peak_reserved_ = std::max(peak_reserved_, reserved_);
    used_before_chunk_ += used_in_chunk();
    if (chunk.count() == chunk_) ++equal_chunks_;
    const std::uint32_t first = chunk.first_index();
    next_ = first + count;
    end_ = first + chunk.count();
    chunks_.push_back(std::move(chunk));
    return row(first, count);
}

void DynamicSuballocationsManager::discard(ReleasePoint last_use) {
    peak_used_ = peak_used();
    for (std::vector<DescriptorHeapAllocation>* chunks : {&chunks_, &ahead_}) {
        for (DescriptorHeapAllocation& chunk : *chunks) {
            if (chunk.has_owner()) discarded_.push_back(chunk.take_range());
        }
        chunks->clear();
    }
    heap_.free_all(discarded_, last_use);
    discarded_.clear();
    last_equal_chunks_ = std::exchange(equal_chunks_, 0);
    ++submission_;
    next_ = end_ = 0;
    reserved_ = 0;
    used_before_chunk_ = 0;
}

}  // namespace heapwright::frame
