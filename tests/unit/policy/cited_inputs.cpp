#include "cited_inputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

namespace heapwright::test {
namespace {

std::vector<std::string> parts_of(const std::string& pointer) {
    std::vector<std::string> parts;
    std::istringstream stream(pointer.substr(1));
    for (std::string part; std::getline(stream, part, '/');) parts.push_back(part);
    return parts;
}

// The case gets a table of its own with sizes and alignments four times as large.
template <class Sweep>
bool change_case(Sweep& sweep, std::size_t index) {
    if (index >= sweep.cases.size() || !sweep.cases[index].table) return false;
    model::SweepTable table = sweep.tables[*sweep.cases[index].table];
    const auto first_new = static_cast<std::uint16_t>(sweep.requirements.size());
    for (std::size_t at = 0; at < first_new; ++at) {
        auto requirement = sweep.requirements[at];
        requirement.alignment_bytes *= 4;
        sweep.requirements.push_back(requirement);
    }
    for (std::size_t at = 0; at < table.size_bytes.size(); ++at) {
        table.size_bytes[at] *= 4;
        table.requirement[at] = static_cast<std::uint16_t>(table.requirement[at] + first_new);
    }
    sweep.cases[index].table = static_cast<std::uint32_t>(sweep.tables.size());
    sweep.tables.push_back(std::move(table));
    return true;
}

// parts[4] is the member of the measurements, parts[5] the index.
bool change_engines(const std::vector<std::string>& parts, model::EngineMeasurements& engines) {
    const std::size_t index = std::stoul(parts[5]);
    const std::string& member = parts[6];
    if (parts[4] == "engines") {
        model::EngineDescription& engine = engines.engines.at(index);
        if (member == "dedicated") {
            engine.dedicated = !engine.dedicated;
            return true;
        }
        for (const auto& [name, text] :
             {std::pair{"name", &model::EngineDescription::name}, std::pair{"kind", &model::EngineDescription::kind},
              std::pair{"priority", &model::EngineDescription::priority},
              std::pair{"priority_note", &model::EngineDescription::priority_note}}) {
            if (member == name) (engine.*text) += " changed";
        }
        return true;
    }
    if (parts[4] == "overlaps") {
        model::EngineOverlap& overlap = engines.overlaps.at(index);
        if (member == "gained") overlap.gained = overlap.gained * -2 - 1;
        if (member == "serial") overlap.serial.ns *= 3;
        if (member == "concurrent") (parts[7] == "ns" ? overlap.concurrent.ns : overlap.concurrent.p90_ns) *= 3;
        return true;
    }
    if (parts[4] == "copies" && member == "bytes_per_s") {
        engines.copies.at(index).bytes_per_s *= 3;
        return true;
    }
    if (parts[4] != "pipelines") return false;
    model::PipelineMeasurement& pipeline = engines.pipelines.at(index);
    if (member == "best_engine_latency") {
        pipeline.best_engine_latency *= 3;
        return true;
    }
    if (member != "points") return false;
    model::SpreadNs& frame = pipeline.points.at(std::stoul(parts[7])).frame;
    (parts[9] == "ns" ? frame.ns : frame.p90_ns) *= 3;
    return true;
}

bool change_device(const std::vector<std::string>& parts, model::DeviceReport& device) {
    const std::string& section = parts[2];
    if (section == "volatile" && parts[3] == "engines" && device.run.engines) {
        return change_engines(parts, *device.run.engines);
    }
    if (section == "limits") {
        for (model::Fact& fact : device.limits) {
            if (fact.group != parts[3] || fact.name != parts[4]) continue;
            fact.value *= 2;
            return true;
        }
        return false;
    }
    if (section == "features") {
        for (model::Fact& fact : device.features) {
            if (fact.group != parts[3] || fact.name != parts[4]) continue;
            fact.value = 1 - fact.value;
            return true;
        }
        return false;
    }
    if (section == "heaps" && parts[4] == "size_bytes") {
        device.heaps.at(std::stoul(parts[3])).size_bytes /= 2;
        return true;
    }
    if (section == "volatile" && parts[3] == "heap_budgets" && parts[5] == "budget_bytes") {
        device.run.heap_budgets.at(std::stoul(parts[4])).budget_bytes /= 2;
        return true;
    }
    if (section == "volatile" && parts[3] == "memory_cost" && parts[5] == "points" && parts[7] == "allocate_ns") {
        device.run.memory_cost.at(std::stoul(parts[4])).points.at(std::stoul(parts[6])).allocate_ns *= 3;
        return true;
    }
    if (section == "memory_types") {
        model::MemoryType& type = device.memory_types.at(std::stoul(parts[3]));
        if (parts[4] == "property_flags") {
            type.property_flags ^= model::memory_property::kHostCached;
        } else if (parts[4] == "heap_index") {
            type.heap_index = (type.heap_index + 1) % static_cast<std::uint32_t>(device.heaps.size());
        } else {
            return false;
        }
        return true;
    }
    if (section == "image_sweep" && parts[3] == "cases") return change_case(device.image_sweep, std::stoul(parts[4]));
    if (section == "buffer_sweep" && parts[3] == "cases") {
        return change_case(device.buffer_sweep, std::stoul(parts[4]));
    }
    return false;
}

bool change_workload(const std::vector<std::string>& parts, model::Workload& workload) {
    if (parts[0] == "reserve_share") {
        workload.reserve_share += 0.2;
        return true;
    }
    if (parts[0] == "frame_budget_ns") {
        workload.frame_budget_ns /= 2;
        return true;
    }
    if (parts[0] == "frames_in_flight") {
        workload.frames_in_flight += 1;
        return true;
    }
    if (parts[0] == "bindings") {
        model::BindingHint& hint = workload.bindings;
        for (const auto& [name, member] :
             {std::pair{"recording_contexts", &model::BindingHint::recording_contexts},
              std::pair{"static_descriptors", &model::BindingHint::static_descriptors},
              std::pair{"dynamic_descriptors_per_frame", &model::BindingHint::dynamic_descriptors_per_frame},
              std::pair{"dynamic_descriptors_per_draw", &model::BindingHint::dynamic_descriptors_per_draw},
              std::pair{"static_samplers_visible", &model::BindingHint::static_samplers_visible},
              std::pair{"dynamic_samplers_per_frame", &model::BindingHint::dynamic_samplers_per_frame},
              std::pair{"render_target_views", &model::BindingHint::render_target_views},
              std::pair{"depth_stencil_views", &model::BindingHint::depth_stencil_views}}) {
            if (parts[1] != name) continue;
            hint.*member *= 3;
            return true;
        }
        return false;
    }
    if (parts[0] == "uploads") {
        (parts[1] == "bytes_per_frame" ? workload.uploads.bytes_per_frame : workload.uploads.largest_bytes) *= 3;
        return true;
    }
    if (parts[0] == "images" && parts[2] == "largest_side") {
        workload.images.at(std::stoul(parts[1])).largest_side /= 2;
        return true;
    }
    if (parts[0] == "images" && parts[2] == "extents") {
        workload.images.at(std::stoul(parts[1])).extents.at(std::stoul(parts[3])) = {4, 4};
        return true;
    }
    if (parts[0] == "buffers" && parts[2] == "largest_bytes") {
        workload.buffers.at(std::stoul(parts[1])).largest_bytes /= 2;
        return true;
    }
    return false;
}

template <class T>
void add(std::vector<NamedDecision>& all, std::string name, const model::Decided<T>& decided) {
    all.push_back({.name = std::move(name),
                   .value = fmt::format("{}", static_cast<std::uint64_t>(decided.value)),
                   .why = decided.why});
}

void add(std::vector<NamedDecision>& all, std::string name, const model::Decided<double>& decided) {
    all.push_back({.name = std::move(name), .value = fmt::format("{}", decided.value), .why = decided.why});
}

}  // namespace

std::vector<NamedDecision> all_decisions(const model::DevicePolicy& policy) {
    std::vector<NamedDecision> all;
    for (const model::HeapPolicy& heap : policy.heaps) {
        add(all, fmt::format("heaps/{}/usable_bytes", heap.heap), heap.usable_bytes);
        add(all, fmt::format("heaps/{}/parts", heap.heap), heap.parts);
        if (heap.reserve_share) add(all, fmt::format("heaps/{}/reserve_share", heap.heap), *heap.reserve_share);
    }
    for (const model::MemoryUsePolicy& use : policy.memory_uses) {
        all.push_back({.name = fmt::format("memory_uses/{}", static_cast<int>(use.use)),
                       .value = fmt::format("{}", fmt::join(use.memory_types.value, ",")),
                       .why = use.memory_types.why});
    }
    add(all, "largest_ordinary_bytes", policy.largest_ordinary_bytes);
    add(all, "humongous_threshold_bytes", policy.humongous_threshold_bytes);
    add(all, "dedicated", policy.dedicated);
    add(all, "separate_linear_and_optimal", policy.separate_linear_and_optimal);
    add(all, "max_chunks", policy.max_chunks);
    for (const model::BucketPolicy& bucket : policy.buckets) {
        add(all, bucket.id + "/chunk_size_bytes", bucket.chunk_size_bytes);
        if (bucket.growth) {
            add(all, bucket.id + "/growth/first_chunk_bytes", bucket.growth->first_chunk_bytes);
            add(all, bucket.id + "/growth/divisor", bucket.growth->divisor);
        }
        if (bucket.dedicated_threshold_bytes)
            add(all, bucket.id + "/dedicated_threshold_bytes", *bucket.dedicated_threshold_bytes);
        add(all, bucket.id + "/chunk_choice", bucket.chunk_choice);
        add(all, bucket.id + "/suballocator", bucket.suballocator);
        add(all, bucket.id + "/granule_bytes", bucket.granule_bytes);
        if (bucket.chunks_ahead) add(all, bucket.id + "/chunks_ahead", *bucket.chunks_ahead);
        if (bucket.priority) add(all, bucket.id + "/priority", *bucket.priority);
    }
    add(all, "frames_in_flight", policy.frames_in_flight);
    add(all, "descriptors/cbv_srv_uav_page", policy.descriptors.cbv_srv_uav_page);
    add(all, "descriptors/sampler_page", policy.descriptors.sampler_page);
    add(all, "descriptors/rtv_page", policy.descriptors.rtv_page);
    add(all, "descriptors/dsv_page", policy.descriptors.dsv_page);
    if (policy.descriptors.cpu_suballocator)
        add(all, "descriptors/cpu_suballocator", *policy.descriptors.cpu_suballocator);
    const auto add_heap = [&](const std::string& name, const model::VisibleHeapPolicy& heap) {
        add(all, name + "/capacity", heap.capacity);
        add(all, name + "/dynamic_capacity", heap.dynamic_capacity);
        add(all, name + "/dynamic_chunk", heap.dynamic_chunk);
        if (heap.static_suballocator) add(all, name + "/static_suballocator", *heap.static_suballocator);
        if (heap.dynamic_suballocator) add(all, name + "/dynamic_suballocator", *heap.dynamic_suballocator);
    };
    add_heap("descriptors/resources", policy.descriptors.resources);
    add_heap("descriptors/samplers", policy.descriptors.samplers);
    add(all, "uploads/ring_bytes", policy.uploads.ring_bytes);
    add(all, "uploads/page_bytes", policy.uploads.page_bytes);
    if (!policy.engines) return all;
    for (const model::EngineAssignment& assignment : policy.engines->assignments) {
        all.push_back(
            {.name = "engines/" + assignment.work, .value = assignment.engine.value, .why = assignment.engine.why});
    }
    add(all, "engines/async_copy", policy.engines->async_copy);
    add(all, "engines/async_compute", policy.engines->async_compute);
    add(all, "engines/copy_ring_length", policy.engines->copy_ring_length);
    add(all, "engines/cpu_latency", policy.engines->cpu_latency);
    add(all, "engines/compute_graphics_latency", policy.engines->compute_graphics_latency);
    return all;
}

bool change_input(const model::DecisionInput& input, model::DeviceReport& device, model::Workload& workload) {
    const std::vector<std::string> parts = parts_of(input.path);
    if (input.document == model::DocumentKind::kWorkload) return change_workload(parts, workload);
    return input.document == model::DocumentKind::kReport && parts.size() > 4 && parts[0] == "devices" &&
           parts[1] == "0" && change_device(parts, device);
}

}  // namespace heapwright::test
