#include "whatif/sources.hpp"

#include <numeric>
#include <optional>
#include <utility>
#include <variant>

#include "core/random.hpp"
#include "policy/played_workload.hpp"
#include "whatif/what_if.hpp"
#include "workload/dump_workload.hpp"
#include "workload/slots.hpp"
#include "workload/stream.hpp"

namespace heapwright::whatif {

namespace {

// Of no slot yet.
Step creation_of(const policy::PlayedSize& size, const model::ResourceDescription& resource, model::MemoryUse use,
                 model::OwnMemory own_memory) {
    const auto* buffer = std::get_if<model::BufferDescription>(&resource);
    return {.kind = Step::Kind::kCreate,
            .request = {.requirements = size.requirements,
                        .resource_class = model::resource_class(resource, true),
                        .use = use,
                        .transient_attachment = model::is_transient_attachment(resource),
                        .own_memory = own_memory},
            .buffer_bytes = buffer != nullptr ? buffer->size_bytes : 0};
}

// What every source counts, and the frame that its last steps may lack.
class CountedSource : public StepSource {
protected:
    void create(std::vector<Step>& steps, std::uint32_t slot, const Step& creation, bool is_estimated) {
        ++counts_.operations;
        ++counts_.creations;
        const auto bytes = static_cast<double>(creation.request.requirements.size_bytes);
        counts_.asked_bytes += bytes;
        if (is_estimated) counts_.estimated_bytes += bytes;
        steps.push_back(creation);
        steps.back().slot = slot;
        is_amid_frame_ = true;
    }
    void refuse() {
        ++counts_.operations;
        ++counts_.creations;
        ++counts_.refused;
    }
    void destroy(std::vector<Step>& steps, std::uint32_t slot) {
        ++counts_.operations;
        steps.push_back({.kind = Step::Kind::kDestroy, .slot = slot, .request = {}});
        is_amid_frame_ = true;
    }
    void end_frame(std::vector<Step>& steps) {
        ++counts_.frames;
        steps.push_back({});
        is_amid_frame_ = false;
    }
    void finish(std::vector<Step>& steps) {
        if (is_amid_frame_) end_frame(steps);
    }

private:
    bool is_amid_frame_ = false;
};

class HintSteps final : public CountedSource {
public:
    HintSteps(const policy::HintSizers& sizers, workload::ResourceStream stream)
        : sizes_(sizers), stream_(std::move(stream)) {}

    Status read(std::vector<Step>& steps) override {
        steps.clear();
        while (steps.size() < kBatch) {
            const auto operation = stream_.next();
            if (!operation) {
                finish(steps);
                break;
            }
            if (const auto* created = std::get_if<workload::Create>(&*operation)) {
                const auto size = sizes_.of(*created);
                const auto slot = size ? slots_.take(created->id) : std::nullopt;
                if (slot)
                    create(steps, *slot,
                           creation_of(*size, created->resource, created->memory_use, created->own_memory),
                           size->is_estimated);
                else
                    refuse();
            } else if (const auto* destroyed = std::get_if<workload::Destroy>(&*operation)) {
                if (const auto slot = slots_.give_back(destroyed->id)) destroy(steps, *slot);
            } else {
                end_frame(steps);
            }
        }
        return {};
    }

private:
    policy::HintSizes sizes_;
    workload::ResourceStream stream_;
    workload::Slots slots_;
};

class TraceSteps final : public CountedSource {
public:
    TraceSteps(const policy::Context& context, workload::TraceReader reader)
        : sizes_(context), reader_(std::move(reader)) {}

    Status read(std::vector<Step>& steps) override {
        using Kind = workload::TraceReader::Event::Kind;
        steps.clear();
        while (steps.size() < kBatch) {
            HEAPWRIGHT_ASSIGN(const auto event, reader_.next());
            if (!event) {
                finish(steps);
                break;
            }
            if (event->kind == Kind::kEndFrame) {
                end_frame(steps);
            } else if (event->kind == Kind::kDestroy) {
                if (!is_refused_[event->slot]) destroy(steps, event->slot);
            } else {
                const Known& known = known_of(event->description);
                if (is_refused_.size() <= event->slot) is_refused_.resize(event->slot + std::size_t{1});
                is_refused_[event->slot] = known.is_refused;
                if (known.is_refused)
                    refuse();
                else
                    create(steps, event->slot, known.creation, known.is_estimated);
            }
        }
        return {};
    }

private:
    struct Known {
        bool is_refused = false;
        bool is_estimated = false;
        Step creation;
    };

    const Known& known_of(std::uint32_t position) {
        return known_.of(reader_, position, [this](const workload::TraceReader::Description& described) {
            const auto size = sizes_.of(described.resource);
            if (!size) return Known{.is_refused = true};
            return Known{
                .is_estimated = size->is_estimated,
                .creation = creation_of(*size, described.resource, described.memory_use, model::OwnMemory::kAuto)};
        });
    }

    policy::ResourceSizes sizes_;
    workload::TraceReader reader_;
    workload::ByDescription<Known> known_;
    std::vector<bool> is_refused_;  // by the reader's slot
};

class DumpSteps final : public CountedSource {
public:
    DumpSteps(const policy::Context& context, const workload::Dump& dump, std::uint64_t seed)
        : sizes_(context), dump_(dump), is_d3d12ma_(workload::is_direct3d(dump)), order_(dump.allocations.size()) {
        std::iota(order_.begin(), order_.end(), 0);
        Random random(seed);
        for (std::size_t left = order_.size(); left > 1; --left)
            std::swap(order_[left - 1], order_[random.below(left)]);
    }

    Status read(std::vector<Step>& steps) override {
        steps.clear();
        for (; next_ < order_.size() && steps.size() < kBatch; ++next_) {
            const workload::DumpAllocation& allocation = dump_.allocations[order_[next_]];
            const workload::DumpResource listed = workload::resource_of(dump_, allocation);
            if (auto size = sizes_.of(listed.resource)) {
                size->requirements.size_bytes = allocation.size_bytes;
                Step creation = creation_of(*size, listed.resource, listed.use, model::OwnMemory::kAuto);
                if (creation.buffer_bytes != 0 && is_d3d12ma_) creation.buffer_bytes = d3d12ma_width(allocation);
                create(steps, order_[next_], creation, false);
            } else {
                refuse();
            }
        }
        if (next_ == order_.size()) finish(steps);
        return {};
    }

private:
    // D3D12MA lists whole pages of 64 KiB and no widths. That it committed a buffer of one page tells a narrow one.
    [[nodiscard]] std::uint64_t d3d12ma_width(const workload::DumpAllocation& buffer) const {
        constexpr std::uint64_t kPage = 64ull << 10;
        return buffer.size_bytes <= kPage && dump_.blocks[buffer.block].is_dedicated ? kPage / 2 : 0;
    }

    policy::ResourceSizes sizes_;
    const workload::Dump& dump_;
    const bool is_d3d12ma_;
    std::vector<std::uint32_t> order_;
    std::size_t next_ = 0;
};

}  // namespace

Result<std::unique_ptr<StepSource>> steps_of_hints(const policy::HintSizers& sizers, std::uint64_t seed) {
    HEAPWRIGHT_ASSIGN(auto stream, workload::ResourceStream::create(sizers.context.workload, seed));
    return std::make_unique<HintSteps>(sizers, std::move(stream));
}

std::unique_ptr<StepSource> steps_of_trace(const policy::Context& context, workload::TraceReader reader) {
    return std::make_unique<TraceSteps>(context, std::move(reader));
}

std::unique_ptr<StepSource> steps_of_dump(const policy::Context& context, const workload::Dump& dump,
                                          std::uint64_t seed) {
    return std::make_unique<DumpSteps>(context, dump, seed);
}

// Programs from hints, dumps and traces, and what a dump says that its own program had.

namespace {

// A trace and a dump state no frames in flight and no budget: a workload's defaults.
const model::Workload& no_hints() {
    static const model::Workload none;
    return none;
}

Figures figures_of_blocks(const workload::Dump& dump) {
    const workload::DumpTotals totals = workload::listed_totals(dump);
    Stretch load;
    load.add(FrameFigures{.is_load = true,
                          .reserved_bytes = totals.block_bytes,
                          .used_bytes = totals.allocation_bytes,
                          .most_reserved_bytes = totals.block_bytes,
                          .most_allocations = totals.block_count});
    Figures figures = figures_of(load, {});
    for (const model::WhatIfColumn unknown :
         {model::WhatIfColumn::kAllocating, model::WhatIfColumn::kMissedTypes, model::WhatIfColumn::kFailedRequests})
        figures[static_cast<std::size_t>(unknown)].reset();
    return figures;
}

}  // namespace

Program program_of_hints(const model::DeviceReport& facts, const model::Workload& workload) {
    const auto sizers = std::make_shared<const policy::HintSizers>(
        policy::Context{.device = facts, .workload = workload, .device_index = 0});
    Program program{.name = workload.name, .kind = "hints", .device_name = {}, .open = {}, .as_dumped = {}};
    program.frames_in_flight = std::max(1u, workload.frames_in_flight);
    program.frame_budget_ns = workload.frame_budget_ns;
    program.open = [sizers](std::uint64_t run) { return steps_of_hints(*sizers, sizers->context.workload.seed + run); };
    return program;
}

Program program_of_dump(const model::DeviceReport& facts, std::string name,
                        std::shared_ptr<const workload::Dump> dump) {
    Program program{.name = std::move(name),
                    .kind = "dump",
                    .device_name = dump->device_name,
                    .open = {},
                    .as_dumped = figures_of_blocks(*dump)};
    program.open = [&facts, dump = std::move(dump)](std::uint64_t run) -> Result<std::unique_ptr<StepSource>> {
        return steps_of_dump({.device = facts, .workload = no_hints(), .device_index = 0}, *dump, run + 1);
    };
    return program;
}

Program program_of_trace(const model::DeviceReport& facts, std::string name, workload::OpenTrace open) {
    Program program{.name = std::move(name), .kind = "trace", .device_name = {}, .open = {}, .as_dumped = {}};
    program.is_drawn = false;
    program.frames_in_flight = no_hints().frames_in_flight;
    program.frame_budget_ns = no_hints().frame_budget_ns;
    program.open = [&facts, open = std::move(open)](std::uint64_t) -> Result<std::unique_ptr<StepSource>> {
        HEAPWRIGHT_ASSIGN(workload::TraceReader reader, open());
        return steps_of_trace({.device = facts, .workload = no_hints(), .device_index = 0}, std::move(reader));
    };
    return program;
}

}  // namespace heapwright::whatif
