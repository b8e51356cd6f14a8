#include "compare/failure_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "compare/device_pairing.hpp"

namespace heapwright::compare {
namespace {

using model::ChangeStatus;
using model::DeviceIdentity;
using model::FailureKind;
using model::ProbeFailure;

struct Failure {
    const ProbeFailure* failed = nullptr;
    DeviceIdentity of;  // the device; of a driver its name and API alone
    bool of_device = false;
};

// A driver goes by its file's name: the folder is the machine's.
DeviceIdentity driver_of(const ProbeFailure& failure) {
    const std::size_t slash = failure.driver.find_last_of("/\\");
    DeviceIdentity driver;
    driver.name = slash == std::string::npos ? failure.driver : failure.driver.substr(slash + 1);
    if (driver.name.empty()) driver.name = "driver";
    driver.api = failure.api;
    return driver;
}

template <class Document>
std::vector<DeviceIdentity> identities_of(const Document& document) {
    std::vector<DeviceIdentity> identities;
    for (const auto& device : document.devices) identities.push_back(device.identity);
    for (const ProbeFailure& failed : document.failures) {
        if (failed.device) identities.push_back(*failed.device);
    }
    return identities;
}

// An older report names a failure's device by its name alone: the device is its own of that name, or the other's.
template <class Document>
std::vector<Failure> failures_of(const Document& document, const Document& other) {
    std::vector<DeviceIdentity> known = identities_of(document);
    std::ranges::move(identities_of(other), std::back_inserter(known));
    std::vector<Failure> failures;
    for (const ProbeFailure& failed : document.failures) {
        const auto named = std::ranges::find_if(known, [&](const DeviceIdentity& device) {
            return device.name == failed.driver && device.api == failed.api;
        });
        Failure failure{.failed = &failed, .of = driver_of(failed)};
        failure.of_device = failed.device || named != known.end();
        if (failure.of_device) failure.of = failed.device ? *failed.device : *named;
        failures.push_back(std::move(failure));
    }
    return failures;
}

// The same text for both sides of a pair of devices.
class FailureNames {
public:
    FailureNames(std::span<const Failure> baseline, std::span<const Failure> other)
        : from_(devices_of(baseline)), to_(devices_of(other)) {
        for (const auto& [one, two] : pair_devices(from_, to_).pairs) pairs_.emplace_back(from_[one], to_[two]);
    }

    [[nodiscard]] std::string name(const Failure& failure, bool is_baseline) const {
        if (!failure.of_device) return fmt::format("driver {} {}", static_cast<int>(failure.of.api), failure.of.name);
        for (std::size_t pair = 0; pair < pairs_.size(); ++pair) {
            if ((is_baseline ? pairs_[pair].first : pairs_[pair].second) == failure.of)
                return fmt::format("pair {}", pair);
        }
        const auto& known = is_baseline ? from_ : to_;
        const auto at = std::ranges::find(known, failure.of) - known.begin();
        return fmt::format("{} {}", is_baseline ? "gone" : "come", at);
    }

private:
    static std::vector<DeviceIdentity> devices_of(std::span<const Failure> failures) {
        std::vector<DeviceIdentity> devices;
        for (const Failure& failure : failures) {
            if (failure.of_device && std::ranges::find(devices, failure.of) == devices.end())
                devices.push_back(failure.of);
        }
        return devices;
    }

    std::vector<DeviceIdentity> from_;
    std::vector<DeviceIdentity> to_;
    std::vector<std::pair<DeviceIdentity, DeviceIdentity>> pairs_;
};

bool is_same(const ProbeFailure& one, const ProbeFailure& other) {
    const bool same_step = one.step.empty() || other.step.empty() || one.step == other.step;
    return same_step && one.last_call == other.last_call;
}

// An error is milder than what ends or stops the process; of these none is.
ChangeStatus kinds_status(const std::optional<FailureKind>& from, const std::optional<FailureKind>& to) {
    if (!from || !to || *from == *to) return ChangeStatus::kSame;
    if (*from == FailureKind::kError) return ChangeStatus::kRegressed;
    return *to == FailureKind::kError ? ChangeStatus::kImproved : ChangeStatus::kChanged;
}

std::string text_of(const ProbeFailure& failure) {
    return failure.reason.empty() ? "failed" : failure.reason;
}

struct OfOneDevice {
    std::vector<const Failure*> from;
    std::vector<const Failure*> to;
};

class FailureChanges {
public:
    void add(const ProbeFailure* from, const ProbeFailure* to) {
        const ProbeFailure& failure = from != nullptr ? *from : *to;
        const ChangeStatus status = from == nullptr ? ChangeStatus::kRegressed
                                    : to == nullptr ? ChangeStatus::kImproved
                                                    : kinds_status(from->kind, to->kind);
        if (status == ChangeStatus::kSame) return;
        std::string call = failure.last_call.empty() ? "start" : failure.last_call;
        std::ranges::replace(call, '/', '|');
        const int count = ++seen_[call];
        model::FieldChange change{.path = "/failures/" + (count == 1 ? call : fmt::format("{}#{}", call, count)),
                                  .status = status};
        if (from != nullptr) change.from = text_of(*from);
        if (to != nullptr) change.to = text_of(*to);
        changes_.push_back(std::move(change));
    }

    [[nodiscard]] std::vector<model::FieldChange> take() { return std::move(changes_); }

private:
    std::map<std::string, int> seen_;
    std::vector<model::FieldChange> changes_;
};

std::vector<model::FieldChange> compare_device(const OfOneDevice& device) {
    FailureChanges changes;
    std::vector<const Failure*> left = device.to;
    for (const Failure* from : device.from) {
        // Of several alike the one of the same kind, so that another kind is told only where none is left.
        auto same = std::ranges::find_if(left, [&](const Failure* to) {
            return is_same(*from->failed, *to->failed) &&
                   kinds_status(from->failed->kind, to->failed->kind) == ChangeStatus::kSame;
        });
        if (same == left.end())
            same = std::ranges::find_if(left, [&](const Failure* to) { return is_same(*from->failed, *to->failed); });
        changes.add(from->failed, same == left.end() ? nullptr : (*same)->failed);
        if (same != left.end()) left.erase(same);
    }
    for (const Failure* to : left) changes.add(nullptr, to->failed);
    return changes.take();
}

template <class Document>
std::vector<model::DeviceComparison> compare_failures_of(const Document& baseline, const Document& other) {
    const std::vector<Failure> from = failures_of(baseline, other);
    const std::vector<Failure> to = failures_of(other, baseline);
    const FailureNames names(from, to);
    std::map<std::string, OfOneDevice> devices;
    for (const Failure& failure : from) devices[names.name(failure, true)].from.push_back(&failure);
    for (const Failure& failure : to) devices[names.name(failure, false)].to.push_back(&failure);
    std::vector<model::DeviceComparison> comparisons;
    for (const auto& [name, device] : devices) {
        std::vector<model::FieldChange> changes = compare_device(device);
        if (changes.empty()) continue;
        const DeviceIdentity& one = (device.from.empty() ? device.to : device.from).front()->of;
        const DeviceIdentity& two = (device.to.empty() ? device.from : device.to).front()->of;
        comparisons.push_back({.baseline = one, .other = two, .fields = std::move(changes)});
    }
    return comparisons;
}

}  // namespace

std::vector<model::DeviceComparison> compare_failures(const model::Report& baseline, const model::Report& other) {
    return compare_failures_of(baseline, other);
}

std::vector<model::DeviceComparison> compare_failures(const model::Validation& baseline,
                                                      const model::Validation& other) {
    return compare_failures_of(baseline, other);
}

}  // namespace heapwright::compare
