#include "compare/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "compare/device_pairing.hpp"
#include "compare/documents.hpp"
#include "compare/policy_impact.hpp"
#include "compare/reading_room.hpp"
#include "core/interrupt.hpp"
#include "core/parallel.hpp"
#include "core/text.hpp"
#include "heapwright/model/json.hpp"

namespace heapwright::compare {
namespace {

// What is kept of a device.
struct DeviceFacts {
    std::uint64_t position = 0;  // of its report in the source
    std::uint32_t device = 0;    // in its report
    std::string file;
    std::string fingerprint;
    std::string key;
    std::string name;
    std::string driver_id;
    std::string driver_info;
    std::uint32_t driver_version = 0;
    std::uint64_t heap_bytes = 0;  // the largest device-local heap
};

std::uint64_t largest_local_heap(const model::DeviceReport& device) {
    std::uint64_t largest = 0;
    for (const model::MemoryHeap& heap : device.heaps) {
        if ((heap.flags & model::memory_heap::kDeviceLocal) != 0) largest = std::max(largest, heap.size_bytes);
    }
    return largest;
}

std::string version_text(const DeviceFacts& facts) {
    return facts.driver_info.empty() ? fmt::format("{:#010x}", facts.driver_version) : facts.driver_info;
}

class Reader {
public:
    Reader(ReportSource& source, const ClusterOptions& options) : source_(source), options_(options) {}

    void read_all() {
        while (!interrupted()) {
            auto sourced = source_.next();
            if (!sourced) return;
            const Seat seat(room_, sourced->text ? sourced->text->size() : 0);
            auto report = sourced->text ? model::read_report(*sourced->text, sourced->name)
                                        : Result<model::Report>(tl::unexpected<Error>(sourced->text.error()));
            std::vector<DeviceFacts> found;
            if (report) found = facts_of(*report, *sourced);
            if (!report && is_another_document(*sourced)) continue;
            const std::lock_guard lock(mutex_);
            if (report) {
                ++reports_;
                std::ranges::move(found, std::back_inserter(devices_));
                if (options_.progress) options_.progress(reports_);
            } else if (skipped_.size() == kMostSkipped) {
                ++skipped_more_;
            } else {
                skipped_.emplace_back(sourced->position,
                                      model::SkippedFile{.file = sourced->name, .reason = to_string(report.error())});
            }
        }
    }

    void take(model::Clusters& clusters, std::vector<DeviceFacts>& devices) {
        clusters.reports = reports_;
        clusters.devices = devices_.size();
        std::ranges::sort(skipped_, {}, [](const auto& entry) { return entry.first; });
        for (auto& [position, file] : skipped_) clusters.skipped.push_back(std::move(file));
        if (skipped_more_ != 0) {
            clusters.skipped.back().reason +=
                fmt::format("; {} more are not named", counted(skipped_more_, "document"));
        }
        std::ranges::sort(devices_, [](const DeviceFacts& one, const DeviceFacts& other) {
            return std::pair(one.position, one.device) < std::pair(other.position, other.device);
        });
        devices = std::move(devices_);
    }

private:
    // A run's folder holds its policy and its validation beside the report.
    static bool is_another_document(const SourcedText& sourced) {
        if (!sourced.text) return false;
        const auto kind = model::document_kind(*sourced.text, sourced.name);
        return kind && *kind != model::DocumentKind::kReport;
    }

    static std::vector<DeviceFacts> facts_of(const model::Report& report, const SourcedText& sourced) {
        std::vector<DeviceFacts> found;
        for (std::uint32_t index = 0; index < report.devices.size(); ++index) {
            const model::DeviceReport& device = report.devices[index];
            found.push_back({.position = sourced.position,
                             .device = index,
                             .file = sourced.name,
                             .fingerprint = fingerprint(device),
                             .key = device_key(device.identity),
                             .name = device.identity.name,
                             .driver_id = device.identity.driver_id,
                             .driver_info = device.identity.driver_info,
                             .driver_version = device.identity.driver_version,
                             .heap_bytes = largest_local_heap(device)});
        }
        return found;
    }

    ReportSource& source_;
    const ClusterOptions& options_;
    // Each line of a file may be a document that is none.
    static constexpr std::size_t kMostSkipped = 10'000;

    ReadingRoom room_;
    std::mutex mutex_;
    std::uint64_t reports_ = 0;
    std::vector<DeviceFacts> devices_;
    std::vector<std::pair<std::uint64_t, model::SkippedFile>> skipped_;
    std::uint64_t skipped_more_ = 0;
};

model::BehaviourGroup make_group(const std::string& fingerprint, std::vector<const DeviceFacts*> members) {
    model::BehaviourGroup group{.fingerprint = fingerprint, .reports = members.size()};
    std::map<std::pair<std::string, std::string>, std::uint64_t> kinds;
    for (const DeviceFacts* member : members) ++kinds[{member->name, member->driver_id}];
    for (const auto& [kind, count] : kinds)
        group.devices.push_back({.name = kind.first, .driver = kind.second, .reports = count});
    std::ranges::stable_sort(group.devices, std::greater<>(), &model::DeviceKind::reports);
    if (group.devices.size() > model::kMaxListedDevices) group.devices.resize(model::kMaxListedDevices);

    std::ranges::stable_sort(members, {}, [](const DeviceFacts* member) { return member->heap_bytes; });
    const DeviceFacts& middle = *members[members.size() / 2];
    group.representative = middle.file;
    group.representative_device = middle.device;
    group.smallest_heap_bytes = members.front()->heap_bytes;
    group.largest_heap_bytes = members.back()->heap_bytes;
    return group;
}

// An outlier behaves as next to nobody does although its device and driver are common: fewer than one in a hundred of
// the reports of that device behind that driver, of which there are at least twenty.
void mark_outliers(std::vector<model::BehaviourGroup>& groups, const std::vector<DeviceFacts>& devices) {
    constexpr std::uint64_t kEnough = 20;
    constexpr std::uint64_t kOneIn = 100;
    std::map<std::string, std::uint64_t> all;
    std::map<std::string, std::map<std::string, std::uint64_t>> by_group;
    for (const DeviceFacts& facts : devices) {
        ++all[facts.key];
        ++by_group[facts.fingerprint][facts.key];
    }
    for (model::BehaviourGroup& group : groups) {
        const auto& kinds = by_group[group.fingerprint];
        group.outlier = std::ranges::all_of(kinds, [&](const auto& kind) {
            const std::uint64_t total = all[kind.first];
            return total >= kEnough && kind.second * kOneIn < total;
        });
    }
}

std::vector<std::uint64_t> version_numbers(const std::string& text) {
    std::vector<std::uint64_t> numbers;
    bool in_number = false;
    for (const char c : text) {
        if (c >= '0' && c <= '9') {
            if (!in_number) numbers.push_back(0);
            numbers.back() = numbers.back() * 10 + static_cast<std::uint64_t>(c - '0');
            in_number = true;
        } else {
            in_number = false;
        }
    }
    return numbers;
}

// Versions in their own order, and between which neighbours no behaviour is shared.
std::vector<model::VersionChange> version_changes(const std::vector<DeviceFacts>& devices) {
    struct Version {
        std::string text;
        std::set<std::string> fingerprints;
    };
    std::map<std::string, std::map<std::vector<std::uint64_t>, Version>> by_device;
    std::map<std::string, const DeviceFacts*> example;
    for (const DeviceFacts& facts : devices) {
        const std::string text = version_text(facts);
        Version& version = by_device[facts.key][version_numbers(text)];
        version.text = text;
        version.fingerprints.insert(facts.fingerprint);
        example.try_emplace(facts.key, &facts);
    }
    std::vector<model::VersionChange> changes;
    for (const auto& [key, versions] : by_device) {
        model::VersionChange change{.device = example[key]->name, .driver = example[key]->driver_id};
        std::string breaks;
        const Version* before = nullptr;
        for (const auto& [numbers, version] : versions) {
            change.versions.push_back(version.text);
            std::string joined;
            for (const std::string& fingerprint : version.fingerprints) append(joined, " ", fingerprint);
            change.fingerprints.push_back(std::move(joined));
            const bool shares = before == nullptr || std::ranges::any_of(version.fingerprints, [&](const auto& print) {
                                    return before->fingerprints.contains(print);
                                });
            if (!shares) breaks += fmt::format("{}{} to {}", breaks.empty() ? "" : ", ", before->text, version.text);
            before = &version;
        }
        if (breaks.empty()) continue;
        change.statement = fmt::format("{} behind {} changed its behaviour: {}", change.device, change.driver, breaks);
        changes.push_back(std::move(change));
    }
    return changes;
}

}  // namespace

Result<model::Clusters> cluster_reports(const std::vector<std::string>& paths, const ClusterOptions& options) {
    HEAPWRIGHT_ASSIGN(ReportSource source, ReportSource::open(paths));
    Reader reader(source, options);
    const std::size_t threads = std::max<std::size_t>(1, options.threads);
    for_each_index(threads, threads, [&](std::size_t) { reader.read_all(); });
    HEAPWRIGHT_TRY(check_interrupted());

    model::Clusters clusters{.allowed_waste = options.allowed_waste};
    std::vector<DeviceFacts> devices;
    reader.take(clusters, devices);
    if (devices.empty()) {
        return fail(ErrorCode::kNoDevice,
                    clusters.skipped.empty()
                        ? std::string("no report there")
                        : fmt::format("no report there could be read; the first: {}", clusters.skipped.front().reason),
                    paths.empty() ? "" : paths.front());
    }
    std::map<std::string, std::vector<const DeviceFacts*>> members;
    for (const DeviceFacts& facts : devices) members[facts.fingerprint].push_back(&facts);
    for (auto& [fingerprint, group] : members) clusters.groups.push_back(make_group(fingerprint, std::move(group)));
    std::ranges::stable_sort(clusters.groups, std::greater<>(), &model::BehaviourGroup::reports);
    mark_outliers(clusters.groups, devices);
    clusters.version_changes = version_changes(devices);
    if (options.workload != nullptr) {
        clusters.workload = options.workload->name;
        HEAPWRIGHT_TRY(find_covering_policies(clusters, options));
    }
    return clusters;
}

}  // namespace heapwright::compare
