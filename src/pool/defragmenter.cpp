#include "pool/defragmenter.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace heapwright::pool {
namespace {

bool can_be_copied(const model::ResourceDescription& description) {
    if (const auto* image = std::get_if<model::ImageDescription>(&description)) {
        constexpr model::Flags kBoth = model::image_usage::kTransferSrc | model::image_usage::kTransferDst;
        return (image->usage & kBoth) == kBoth;
    }
    constexpr model::Flags kBoth = model::buffer_usage::kTransferSrc | model::buffer_usage::kTransferDst;
    return (std::get<model::BufferDescription>(description).usage & kBoth) == kBoth;
}

bool can_choose_offsets(const model::BucketPolicy& policy) {
    return policy.suballocator.value == model::SuballocatorKind::kTlsf ||
           policy.suballocator.value == model::SuballocatorKind::kFixedBlocks;
}

device::Work copy_of(const model::ResourceDescription& description, device::ResourceId from, device::ResourceId to,
                     bool buffers_by_shader) {
    if (const auto* buffer = std::get_if<model::BufferDescription>(&description)) {
        const bool shader_reaches_it = (buffer->usage & model::buffer_usage::kStorage) != 0;
        if (buffers_by_shader && shader_reaches_it && buffer->size_bytes % sizeof(std::uint32_t) == 0) {
            return device::TransformBuffer{
                .source = from, .destination = to, .size_bytes = buffer->size_bytes, .rounds = 0};
        }
        return device::CopyBuffer{.source = from, .destination = to, .size_bytes = buffer->size_bytes};
    }
    return device::CopyImage{.source = from, .destination = to};
}

// A bucket's chunks as the planner takes them, with the handle behind each id.
struct PlannedLayout {
    std::vector<suballoc::ChunkLayout> chunks;
    std::vector<std::uint32_t> slots;     // of the chunks
    std::vector<ResourceHandle> handles;  // by id; ids beyond it cannot move
};

PlannedLayout layout_of(const Bucket& bucket, std::size_t index, ResourceTable& table) {
    std::map<std::pair<std::uint32_t, std::uint64_t>, ResourceHandle> movable;
    table.for_each([&](ResourceHandle handle, const ResourceTable::Entry& entry) {
        const auto& placement = entry.resource.placement();
        if (!placement || placement->bucket != index || entry.is_pinned || entry.resource.is_aliasing() ||
            !can_be_copied(entry.description))
            return;
        movable.emplace(std::pair(placement->chunk, placement->offset_bytes), handle);
    });
    PlannedLayout layout;
    std::uint64_t next_fixed_id = movable.size();
    for (const ChunkSet::ChunkRanges& chunk : bucket.layout()) {
        layout.slots.push_back(chunk.chunk);
        suballoc::ChunkLayout& planned = layout.chunks.emplace_back();
        planned.capacity = chunk.capacity_bytes;
        for (const auto& range : chunk.used) {
            suballoc::MovableSuballocation& one = planned.suballocations.emplace_back();
            one.offset = range.offset_bytes;
            one.size = range.size_bytes;
            const auto found = movable.find({chunk.chunk, range.offset_bytes});
            one.is_movable = found != movable.end();
            if (one.is_movable) {
                one.id = layout.handles.size();
                one.alignment = std::max(bucket.placement_unit_bytes(),
                                         table.find(found->second)->resource.requirements().alignment_bytes);
                layout.handles.push_back(found->second);
            } else {
                one.id = next_fixed_id++;
            }
        }
    }
    return layout;
}

}  // namespace

Result<std::optional<DefragmentationReport>> Defragmenter::record_step(TimelineValue signal,
                                                                       std::vector<device::Work>& work) {
    give_back_emptied();
    if (step_) return std::nullopt;
    while (buckets_without_moves_ < pool_.bucket_count()) {
        HEAPWRIGHT_ASSIGN(auto report, try_bucket(next_bucket_, signal, work));
        if (report) {
            buckets_without_moves_ = 0;
            ++totals_.steps;
            return report;
        }
        ++buckets_without_moves_;
        next_bucket_ = (next_bucket_ + 1) % pool_.bucket_count();
    }
    return std::nullopt;
}

Result<std::optional<DefragmentationReport>> Defragmenter::try_bucket(std::size_t bucket, TimelineValue signal,
                                                                      std::vector<device::Work>& work) {
    if (!can_choose_offsets(pool_.bucket(bucket).policy())) return std::nullopt;
    const PlannedLayout layout = layout_of(pool_.bucket(bucket), bucket, table_);
    if (layout.handles.empty()) return std::nullopt;
    HEAPWRIGHT_ASSIGN(const auto plan,
                      suballoc::plan_defragmentation(layout.chunks, options_.strategy, options_.limits));
    Step step{.value = signal, .bucket = bucket, .moves = {}, .emptied = {}};
    for (const std::size_t chunk : plan.emptied_chunks)
        step.emptied.emplace(layout.slots[chunk], layout.chunks[chunk].capacity);
    std::vector<device::Work> copies;
    for (const suballoc::DefragmentationMove& planned : plan.moves) {
        const ResourceHandle handle = layout.handles[static_cast<std::size_t>(planned.id)];
        ResourceTable::Entry& entry = *table_.find(handle);
        auto copy = pool_.create_at(entry.description, entry.resource.requirements(), bucket,
                                    layout.slots[planned.to_chunk], planned.to_offset, planned.size);
        if (!copy) {
            // Another thread was faster; the next step plans anew, and what was to be moved keeps its chunk.
            if (copy.error().code == ErrorCode::kExhausted) {
                step.emptied.erase(layout.slots[planned.from_chunk]);
                continue;
            }
            return fail(std::move(copy.error()));
        }
        const ResourceMove move{
            .handle = handle, .from = entry.resource.id(), .to = copy->id(), .size_bytes = planned.size};
        copies.push_back(copy_of(entry.description, move.from, move.to, options_.buffers_by_shader));
        step.moves.push_back({.move = move,
                              .copy = std::move(*copy),
                              .writes = entry.writes,
                              .from_chunk = layout.slots[planned.from_chunk]});
    }
    if (step.moves.empty()) return std::nullopt;

    DefragmentationReport report{.bucket = bucket,
                                 .bucket_id = pool_.bucket(bucket).policy().id,
                                 .moves = {},
                                 .before = plan.before,
                                 .after = plan.after};
    for (Pending& pending : step.moves) {
        pending.copy.mark_used(signal);
        table_.find(pending.move.handle)->resource.mark_used(signal);
        report.moves.push_back(pending.move);
        report.moved_bytes += pending.move.size_bytes;
    }
    work.insert(work.end(), copies.begin(), copies.end());
    step_ = std::move(step);
    return report;
}

std::optional<FinishedStep> Defragmenter::finish(TimelineValue completed, TimelineValue recording) {
    if (!step_ || step_->value > completed) return std::nullopt;
    Step step = std::move(*step_);
    step_.reset();
    FinishedStep finished;
    for (Pending& pending : step.moves) {
        ResourceTable::Entry* entry = table_.find(pending.move.handle);
        const bool is_current = entry != nullptr && entry->writes == pending.writes;
        if (!is_current || (options_.check && !options_.check(pending.move))) {
            finished.abandoned.push_back(pending.move);
            // A resource that was released leaves its chunk all the same.
            if (entry != nullptr) step.emptied.erase(pending.from_chunk);
            continue;
        }
        entry->resource.swap(pending.copy);
        pending.copy.mark_used(recording);
        finished.moved.push_back(pending.move);
        totals_.moved_bytes += pending.move.size_bytes;
    }
    totals_.moves += finished.moved.size();
    totals_.abandoned_moves += finished.abandoned.size();
    for (const auto& [slot, bytes] : step.emptied) {
        ++totals_.emptied_chunks;
        totals_.emptied_bytes += bytes;
        has_emptied_[step.bucket] = true;
    }
    return finished;
}

std::uint64_t Defragmenter::give_back_emptied() {
    std::uint64_t bytes = 0;
    for (std::size_t bucket = 0; bucket < has_emptied_.size(); ++bucket) {
        if (!has_emptied_[bucket]) continue;
        const std::uint64_t trimmed = pool_.trim_bucket(bucket);
        if (trimmed != 0) has_emptied_[bucket] = false;
        bytes += trimmed;
    }
    return bytes;
}

FinishedStep Defragmenter::abandon() {
    FinishedStep finished;
    if (!step_) return finished;
    for (const Pending& pending : step_->moves) finished.abandoned.push_back(pending.move);
    totals_.abandoned_moves += finished.abandoned.size();
    step_.reset();
    return finished;
}

}  // namespace heapwright::pool
