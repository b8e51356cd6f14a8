#include "render/advice_table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

#include "core/text.hpp"
#include "model/names.hpp"
#include "render/detail/policy_rows.hpp"
#include "render/detail/screen.hpp"
#include "render/device_list.hpp"

namespace heapwright::render {
namespace {

// Takes the figures of one policy after the other and gives each its row.
class RowTable {
public:
    explicit RowTable(std::size_t policies) : policies_(policies) {}
    void begin(std::size_t policy) { policy_ = policy; }
    void put(std::string_view group, std::string_view name, std::string value) {
        const auto same = [&](const PolicyRow& row) { return row.group == group && row.name == name; };
        auto row = std::ranges::find_if(rows_, same);
        if (row == rows_.end()) {
            // Behind the last row of its group, so that groups stay together.
            const auto last =
                std::find_if(rows_.rbegin(), rows_.rend(), [&](const PolicyRow& each) { return each.group == group; });
            row = rows_.insert(last == rows_.rend() ? rows_.end() : last.base(),
                               {.group = std::string(group),
                                .name = std::string(name),
                                .cells = std::vector<std::string>(policies_),
                                .differs = false});
        }
        row->cells[policy_] = std::move(value);
    }
    [[nodiscard]] std::vector<PolicyRow> take() {
        const PolicyRow* first = nullptr;  // of the group
        for (PolicyRow& row : rows_) {
            if (first == nullptr || first->group != row.group) first = &row;
            row.differs = differs(row, *first);
        }
        return std::move(rows_);
    }

private:
    // A policy that lacks a whole group, which its first row tells, does not differ in the rows after it.
    static bool differs(const PolicyRow& row, const PolicyRow& first) {
        const std::string* other = nullptr;
        for (std::size_t i = 0; i < row.cells.size(); ++i) {
            if (&row != &first && row.cells[i].empty() && first.cells[i].empty()) continue;
            if (other != nullptr && *other != row.cells[i]) return true;
            other = &row.cells[i];
        }
        return false;
    }

    std::size_t policies_;
    std::size_t policy_ = 0;
    std::vector<PolicyRow> rows_;
};

void put_promises(const model::DevicePolicy& device, RowTable& table) {
    constexpr std::string_view kGroup = "What it promises";
    if (device.capacity) {
        table.put(
            kGroup, "the workload fits",
            device.capacity->fits ? "yes" : "no: " + byte_text(device.capacity->missing_bytes) + " have no place");
    }
    if (!device.expectations) return;
    const model::Expectations& expected = *device.expectations;
    if (expected.failed_requests)
        table.put(kGroup, "requests without memory", std::to_string(*expected.failed_requests));
    table.put(kGroup, "waste", share_text(expected.mean_waste.value));
    table.put(kGroup, "device allocations", std::to_string(expected.device_allocations.value));
    if (expected.worst_frame_ns) table.put(kGroup, "worst frame", time_text(expected.worst_frame_ns->value));
    if (expected.worst_load_ns) table.put(kGroup, "worst of the load", time_text(expected.worst_load_ns->value));
    for (const model::HeapExpectation& heap : expected.heaps)
        table.put(kGroup, fmt::format("reserved of heap {} at the peak", heap.heap),
                  byte_text(heap.peak_reserved_bytes.value));
}

void put_heaps(const model::DevicePolicy& device, RowTable& table) {
    for (const model::HeapPolicy& heap : device.heaps)
        table.put("Memory that may be used", fmt::format("heap {}", heap.heap),
                  fmt::format("{} of {}", byte_text(heap.usable_bytes.value), byte_text(heap.size_bytes)));
}

void put_split(const model::DevicePolicy& device, RowTable& table) {
    for (const model::HintSplit& split : device.split)
        table.put("Buffers in parts", split.hint,
                  fmt::format("{} parts of {} for each of {}", split.parts, byte_text(split.part_bytes.value),
                              byte_text(split.exceeded.size_bytes)));
}

// `shared`: buckets that more than one policy has stand with all their figures, the others in a row.
void put_buckets(const model::DevicePolicy& device, const std::map<std::string, int>& shared, RowTable& table) {
    for (const model::BucketPolicy& bucket : device.buckets) {
        if (shared.at(bucket.id) < 2) {
            table.put(
                "Buckets that one policy alone has", bucket.id,
                fmt::format("chunks of {}, {}; memory type {}", detail::chunk_sizes_text(bucket),
                            model::is_in_use(bucket) ? byte_text(bucket.expected_bytes) + " in use" : "not in use",
                            detail::memory_type_text(device, bucket.memory_type)));
            continue;
        }
        const std::string group = "Bucket " + bucket.id;
        table.put(group, "chunks of", detail::chunk_sizes_text(bucket));
        table.put(group, "in use", model::is_in_use(bucket) ? byte_text(bucket.expected_bytes) : "nothing yet");
        table.put(group, "memory type", detail::memory_type_text(device, bucket.memory_type));
        table.put(group, "alignment", byte_text(bucket.alignment_bytes));
        if (bucket.dedicated_threshold_bytes)
            table.put(group, "memory of its own above", byte_text(bucket.dedicated_threshold_bytes->value));
        if (bucket.chunks_ahead) table.put(group, "chunks kept ready", std::to_string(bucket.chunks_ahead->value));
        table.put(group, "suballocator", std::string(model::name_of(bucket.suballocator.value)));
    }
}

void put_device(const model::DevicePolicy& device, RowTable& table) {
    constexpr std::string_view kMemory = "Memory of its own";
    table.put(kMemory, "above", byte_text(device.humongous_threshold_bytes.value));
    table.put(kMemory, "where the driver wishes it",
              device.dedicated.value == model::DedicatedRule::kWhenPreferred ? "when preferred or required"
                                                                             : "when required");
    table.put(kMemory, "buffers and optimal images",
              device.separate_linear_and_optimal.value ? "in chunks of their own" : "share chunks");
    constexpr std::string_view kFrames = "Frames and uploads";
    table.put(kFrames, "frames in flight", std::to_string(device.frames_in_flight.value));
    table.put(kFrames, "a frame has", time_text(device.frame_budget_ns));
    table.put(kFrames, "upload ring", byte_text(device.uploads.ring_bytes.value));
    table.put(kFrames, "a page of uploads", byte_text(device.uploads.page_bytes.value));
    constexpr std::string_view kDescriptors = "Descriptors";
    table.put(kDescriptors, "resources, shader-visible", std::to_string(device.descriptors.resources.capacity.value));
    table.put(kDescriptors, "of these dynamic", std::to_string(device.descriptors.resources.dynamic_capacity.value));
    table.put(kDescriptors, "samplers, shader-visible", std::to_string(device.descriptors.samplers.capacity.value));
    if (device.creations) {
        constexpr std::string_view kThreads = "Threads";
        const model::CreationPolicy& creations = *device.creations;
        if (creations.image_threads)
            table.put(kThreads, "that create images", std::to_string(creations.image_threads->value));
        if (creations.buffer_threads)
            table.put(kThreads, "that create buffers", std::to_string(creations.buffer_threads->value));
        if (creations.descriptor_threads)
            table.put(kThreads, "that create descriptor pools", std::to_string(creations.descriptor_threads->value));
        if (creations.memory_priority)
            table.put(kThreads, "memoryPriority", creations.memory_priority->value ? "may be on" : "stays off");
    }
    if (!device.engines) return;
    constexpr std::string_view kEngines = "Engines";
    table.put(kEngines, "copies beside draws", device.engines->async_copy.value ? "pay" : "gain nothing");
    table.put(kEngines, "compute beside draws", device.engines->async_compute.value ? "gains time" : "gains nothing");
    for (const model::EngineAssignment& each : device.engines->assignments)
        table.put(kEngines, each.work, each.engine.value);
    if (device.engines->buffer_moves)
        table.put(kEngines, "buffers move by", std::string(model::name_of(device.engines->buffer_moves->value)));
    if (device.engines->direct_uploads)
        table.put(kEngines, "uploads of buffers",
                  device.engines->direct_uploads->value ? "written in place" : "by the ring");
}

constexpr std::size_t kMisfits = 3;

// "1-16 MiB", "256 KiB-4 MiB", "16 MiB".
std::string chunks_text(const AdviceRow& row) {
    const std::string most = byte_text(row.most_chunk_bytes);
    if (row.most_chunk_bytes == 0) return "none";
    if (row.least_chunk_bytes == row.most_chunk_bytes) return most;
    std::string least = byte_text(row.least_chunk_bytes);
    const std::size_t unit = least.find(' ');
    if (most.ends_with(least.substr(unit))) least.resize(unit);
    return fmt::format("{}-{}", least, most);
}

std::string assumed_cell(const AdviceRow& row) {
    if (row.assumed.empty()) return "-";
    if (row.assumed.size() > 1) return "both";
    return row.assumed.front() == detail::kAssumedSizes ? "sizes" : "costs";
}

std::string fits_cell(const AdviceRow& row) {
    if (!row.fits) return "no";
    return row.is_part ? row.workload.substr(row.workload.rfind('@') + 1) : "yes";
}

// Rows of one name have their source behind it.
std::vector<std::string> names_of(std::span<const AdviceRow> rows) {
    std::map<std::string_view, std::size_t> times;
    for (const AdviceRow& row : rows) ++times[row.device];
    std::vector<std::string> names;
    for (const AdviceRow& row : rows)
        names.push_back(times[row.device] > 1 ? fmt::format("{} [{}]", row.device, row.source) : row.device);
    return names;
}

std::vector<std::string> cells_of(const AdviceRow& row, const std::string& name) {
    return {name,
            chunks_text(row),
            byte_text(row.own_memory_above_bytes),
            byte_text(row.upload_ring_bytes),
            row.mean_waste ? share_text(*row.mean_waste) : "-",
            row.worst_frame_ns ? time_text(*row.worst_frame_ns) : "-",
            fits_cell(row),
            assumed_cell(row)};
}

// A column that says nothing gives its room to the names, which are cut to what is left of the screen.
std::vector<std::vector<std::string>> fitted(std::vector<std::vector<std::string>> cells) {
    constexpr std::size_t kFrame = 5;
    if (std::ranges::all_of(cells.begin() + 1, cells.end(), [](const auto& row) { return row[kFrame] == "-"; }))
        for (std::vector<std::string>& row : cells) row.erase(row.begin() + kFrame);
    std::size_t others = 2;
    for (std::size_t column = 1; column < cells.front().size(); ++column) {
        std::size_t widest = 0;
        for (const auto& row : cells) widest = std::max(widest, detail::columns_of(row[column]));
        others += widest + 2;
    }
    for (std::vector<std::string>& row : cells) row.front() = detail::cut(row.front(), kScreenColumns - others);
    return cells;
}

// Names after each other, in lines that fit the screen.
void list_names(const std::vector<std::string>& names, const std::vector<std::size_t>& positions,
                detail::Screen& screen) {
    std::string line;
    for (const std::size_t position : positions) {
        const std::string& name = names[position];
        if (!line.empty() && detail::columns_of(line) + detail::columns_of(name) + 5 > kScreenColumns) {
            screen.line("  " + line + ",");
            line.clear();
        }
        line += (line.empty() ? "" : ", ") + name;
    }
    if (!line.empty()) screen.line("  " + line);
}

}  // namespace

PolicyTable policy_table(std::span<const ReportDocument> documents) {
    struct Column {
        const model::Policy* policy;
        const model::DevicePolicy* device;
        std::string label;
        std::string file;
    };
    std::vector<Column> columns;
    const std::vector<ListedDevice> devices = list_devices(documents);
    for (std::size_t d = 0; d < documents.size(); ++d) {
        const auto* policy = std::get_if<model::Policy>(&documents[d].document);
        if (policy == nullptr) continue;
        for (std::size_t i = 0; i < policy->devices.size(); ++i) {
            const auto listed = std::ranges::find_if(devices, [&](const ListedDevice& each) {
                return std::ranges::any_of(
                    each.policies, [&](const DevicePlace& place) { return place.document == d && place.device == i; });
            });
            columns.push_back({.policy = policy,
                               .device = &policy->devices[i],
                               .label = listed == devices.end() ? policy->devices[i].identity.name : listed->label,
                               .file = documents[d].file});
        }
    }
    std::map<std::string, int> buckets;
    for (const Column& column : columns)
        for (const model::BucketPolicy& bucket : column.device->buckets) ++buckets[bucket.id];
    PolicyTable result;
    RowTable table(columns.size());
    for (std::size_t column = 0; column < columns.size(); ++column) {
        const model::DevicePolicy& device = *columns[column].device;
        result.policies.push_back(fmt::format("{}, {}", columns[column].label, columns[column].policy->workload_name));
        result.files.push_back(columns[column].file);
        table.begin(column);
        put_promises(device, table);
        put_heaps(device, table);
        put_split(device, table);
        put_device(device, table);
        put_buckets(device, buckets, table);
    }
    result.rows = table.take();
    return result;
}

AdviceRow advice_row(const model::DevicePolicy& policy, std::string device, std::string workload) {
    AdviceRow row{.device = std::move(device),
                  .driver = fmt::format("{} {}", policy.identity.driver_name, policy.identity.driver_info),
                  .api = policy.identity.api,
                  .workload = std::move(workload),
                  .own_memory_above_bytes = policy.humongous_threshold_bytes.value,
                  .upload_ring_bytes = policy.uploads.ring_bytes.value,
                  .frame_budget_ns = policy.frame_budget_ns,
                  .assumed = detail::assumed_parts(policy.assumed)};
    for (const model::BucketPolicy& bucket : policy.buckets) {
        if (!model::is_in_use(bucket)) continue;
        const std::uint64_t most = bucket.chunk_size_bytes.value;
        const std::uint64_t first = bucket.growth ? bucket.growth->first_chunk_bytes.value : most;
        row.least_chunk_bytes = row.least_chunk_bytes == 0 ? first : std::min(row.least_chunk_bytes, first);
        row.most_chunk_bytes = std::max(row.most_chunk_bytes, most);
    }
    if (policy.expectations) {
        row.mean_waste = policy.expectations->mean_waste.value;
        if (policy.expectations->worst_frame_ns) row.worst_frame_ns = policy.expectations->worst_frame_ns->value;
    }
    if (policy.capacity) {
        row.fits = policy.capacity->fits;
        row.capacity = model::statement_of(*policy.capacity);
    }
    return row;
}

std::string advice_table(std::span<const AdviceRow> rows, const SharedPolicies& shared, const ScreenStyle& style,
                         std::size_t most, std::string_view next) {
    detail::Screen screen(style);
    if (rows.empty()) return {};
    const std::vector<std::string> names = names_of(rows);
    const AdviceRow& first = rows.front();
    const std::size_t part = first.is_part ? first.workload.rfind('@') : std::string::npos;
    screen.title(fmt::format("{} on {}", first.workload.substr(0, part), counted(rows.size(), "device")));
    std::size_t misfits = 0;
    for (std::size_t at = 0; at < rows.size(); ++at) {
        if (!rows[at].fits && misfits++ < kMisfits)
            screen.verdict(detail::Tone::kBad, fmt::format("{}: {}", names[at], rows[at].capacity));
    }
    if (misfits > kMisfits)
        screen.line(fmt::format("  and {} that it does not fit", counted(misfits - kMisfits, "more device")));
    std::vector<std::vector<std::string>> cells{
        {"device", "chunks", "own above", "ring", "waste", "frame", "fits", "assumed"}};
    for (std::size_t at = 0; at < rows.size(); ++at) cells.push_back(cells_of(rows[at], names[at]));
    screen.table(fitted(std::move(cells)), most, "devices");
    for (const std::vector<std::size_t>& group : shared) {
        screen.line(
            "The first one's chunk sizes and thresholds serve all of these, with 5 points of waste more at most:");
        list_names(names, group, screen);
    }
    if (std::ranges::any_of(rows, [](const AdviceRow& row) { return !row.assumed.empty(); }))
        screen.line("Assumed, not measured: sizes and alignments of resources, costs of device memory, or both.");
    std::map<std::string_view, std::vector<std::size_t>> remarks;
    for (std::size_t at = 0; at < rows.size(); ++at)
        if (!rows[at].remark.empty()) remarks[rows[at].remark].push_back(at);
    for (const auto& [remark, positions] : remarks) {
        if (positions.size() == rows.size()) {
            screen.line(fmt::format("Of all: {}.", remark));
            continue;
        }
        screen.line(fmt::format("Of these {}:", remark));
        list_names(names, positions, screen);
    }
    if (!next.empty()) screen.next(next);
    return screen.take();
}

std::string advice_document(std::span<const AdviceRow> rows, const SharedPolicies& shared) {
    using OrderedJson = nlohmann::ordered_json;
    OrderedJson devices = OrderedJson::array();
    for (const AdviceRow& row : rows) {
        OrderedJson device{{"device", row.device},
                           {"driver", row.driver},
                           {"api", row.api == model::Api::kVulkan ? "vulkan" : "d3d12"},
                           {"source", row.source},
                           {"workload", row.workload},
                           {"is_part", row.is_part},
                           {"least_chunk_bytes", row.least_chunk_bytes},
                           {"most_chunk_bytes", row.most_chunk_bytes},
                           {"own_memory_above_bytes", row.own_memory_above_bytes},
                           {"upload_ring_bytes", row.upload_ring_bytes}};
        if (row.mean_waste) device["mean_waste"] = *row.mean_waste;
        if (row.worst_frame_ns) device["worst_frame_ns"] = *row.worst_frame_ns;
        device["frame_budget_ns"] = row.frame_budget_ns;
        device["fits"] = row.fits;
        device["capacity"] = row.capacity;
        device["assumed"] = row.assumed;
        if (!row.remark.empty()) device["remark"] = row.remark;
        devices.push_back(std::move(device));
    }
    OrderedJson groups = OrderedJson::array();
    for (const std::vector<std::size_t>& group : shared) {
        OrderedJson sources = OrderedJson::array();
        for (const std::size_t position : group) sources.push_back(rows[position].source);
        groups.push_back({{"policy_of", sources.front()}, {"serves", sources}});
    }
    const OrderedJson document{{"devices", std::move(devices)}, {"one_policy_for", std::move(groups)}};
    return document.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace heapwright::render
