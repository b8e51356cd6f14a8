#include "cited_inputs.hpp"

#include <sstream>
#include <string_view>

#include "model/decisions.hpp"

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
    if (parts[4] == "copy_curves") {
        model::CopyPoint& point = engines.copy_curves.at(index).points.at(std::stoul(parts[7]));
        if (parts[8] == "bytes_per_s") point.bytes_per_s = point.bytes_per_s * 7 / 2 + 1;
        if (parts[8] == "time") point.time.host_ns = *point.time.host_ns * 7 / 2 + 1;
        return true;
    }
    if (parts[4] != "pipelines") return false;
    model::PipelineMeasurement& pipeline = engines.pipelines.at(index);
    if (member == "best_engine_latency") {
        pipeline.best_engine_latency *= 3;
        return true;
    }
    if (member != "points") return false;
    model::MeasuredTime& frame = pipeline.points.at(std::stoul(parts[7])).frame;
    (parts[9] == "ns" ? frame.ns : frame.p90_ns) *= 3;
    return true;
}

bool change_device(const std::vector<std::string>& parts, model::DeviceReport& device) {
    const std::string& section = parts[2];
    if (section == "volatile" && parts[3] == "engines" && device.run.engines) {
        return change_engines(parts, *device.run.engines);
    }
    if (section == "volatile" && parts[3] == "creations" && device.run.creations) {
        model::CreationCurve& curve = device.run.creations->curves.at(std::stoul(parts[5]));
        std::uint64_t& rate = curve.points.at(std::stoul(parts[7])).pairs_per_s;
        rate = rate * 7 / 2 + 1;
        return true;
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
    if (parts[0] == "seed") {
        workload.seed += 1;
        return true;
    }
    if (parts[0] == "frames_in_flight") {
        workload.frames_in_flight += 1;
        return true;
    }
    if (parts[0] == "steps_per_frame") {
        workload.steps_per_frame = std::max(1u, workload.steps_per_frame / 8);
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
        if (parts[1] == "largest_bytes") workload.uploads.largest_bytes *= 3;
        if (parts[1] == "bytes_per_frame") *workload.uploads.bytes_per_frame *= 3;
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

// "/buckets/3/granule_bytes" -> "optimal/65536/0/granule_bytes": a bucket is the same one at another position, too.
std::string by_bucket(const std::string& path, const model::DevicePolicy& policy) {
    constexpr std::string_view kBuckets = "/buckets/";
    if (!path.starts_with(kBuckets)) return path.substr(1);
    const std::size_t end = path.find('/', kBuckets.size());
    const std::size_t index = std::stoul(path.substr(kBuckets.size(), end - kBuckets.size()));
    return policy.buckets.at(index).id + path.substr(end);
}

}  // namespace

std::vector<NamedDecision> all_decisions(const model::DevicePolicy& policy) {
    std::vector<NamedDecision> all;
    for (const model::ListedDecision& decision : model::list_decisions(policy))
        all.push_back({.name = by_bucket(decision.path, policy), .value = decision.value, .why = *decision.why});
    return all;
}

bool change_input(const model::DecisionInput& input, model::DeviceReport& device, model::Workload& workload) {
    const std::vector<std::string> parts = parts_of(input.path);
    if (input.document == model::DocumentKind::kWorkload) return change_workload(parts, workload);
    return input.document == model::DocumentKind::kReport && parts.size() > 4 && parts[0] == "devices" &&
           parts[1] == "0" && change_device(parts, device);
}

}  // namespace heapwright::test
