#include "heapwright/runtime/dynamic_suballocations_manager.hpp"

namespace heapwright::runtime {

Status DynamicSuballocationsManager::take_chunk(std::uint32_t count) {
    HEAPWRIGHT_ASSIGN(DescriptorHeapAllocation chunk, heap_.allocate_dynamic(std::max(count, chunk_)));
    used_before_chunk_ += used_in_chunk();
    next_ = chunk.first_index();
    left_ = chunk.count();
    reserved_ += chunk.count();
    peak_reserved_ = std::max(peak_reserved_, reserved_);
    chunks_.push_back(std::move(chunk));
    return {};
}

void DynamicSuballocationsManager::discard(TimelineValue last_use) {
    peak_used_ = peak_used();
    for (DescriptorHeapAllocation& chunk : chunks_) {
        if (chunk.has_owner()) discarded_.push_back(chunk.take_range());
    }
    heap_.free_all(discarded_, last_use);
    discarded_.clear();
    chunks_.clear();
    next_ = left_ = 0;
    reserved_ = 0;
    used_before_chunk_ = 0;
}

}  // namespace heapwright::runtime
