// What differs between documents, device by device: reports, policies or validations against a baseline; and how many
// reports fall into groups of equal allocation behaviour. Plain values; sizes in bytes, times in nanoseconds.
// Paths are JSON pointers relative to the device, in which an array's elements go by what they are (a memory type's
// flags, a scenario's name) and not by their position.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/document.hpp"
#include "heapwright/model/report.hpp"
#include "model/names.hpp"

namespace heapwright::model {

// How a field is compared.
enum class FieldClass : std::uint8_t {
    kExact,          // any difference is a change
    kOrdered,        // one direction is better
    kSet,            // elements count, their order does not
    kHostDependent,  // follows the machine (heap sizes, bus addresses, the installed version): a difference is expected
    kNoisy,          // measured: a statistical test decides
    kVolatile,       // differs from run to run, or only restates other fields: never compared
};

enum class ChangeStatus : std::uint8_t {
    kSame,
    kChanged,
    kRegressed,
    kImproved,
    kExpected,      // host-dependent, or allowed by an entry of the allow-list
    kMissing,       // the baseline has it, the other document has not
    kNew,           // the other way round
    kInconclusive,  // too few samples, or a document that cannot know the field
};

// Regressed is the worst, then missing, changed, inconclusive, improved, new, expected and same (0).
[[nodiscard]] int severity(ChangeStatus status);
// Something regressed, missing, or changed though no entry expects it.
[[nodiscard]] bool is_failure(ChangeStatus status);

// A precedence test on a cost curve: see compare/precedence_test.hpp.
struct NoisyTest {
    double p_value = 1;
    double alarm_below = 0;  // what p had to stay below, after Holm's correction over the device's noisy fields
    double ratio = 1;        // of the medians, other / baseline: the median over the points
    std::uint64_t points = 0;
};

struct FieldChange {
    std::string path;
    FieldClass field_class = FieldClass::kExact;
    ChangeStatus status = ChangeStatus::kChanged;
    std::string from;  // empty: not in the baseline
    std::string to;    // empty: not in the other document
    std::string reason;
    std::optional<NoisyTest> test;
};

enum class SweepProperty : std::uint8_t {
    kAlignmentBytes,
    kCase,   // one document's sweep has the case alone
    kCases,  // one document has the sweep alone
    kDedicated,
    kMemoryTypes,
    kPoints,  // sizes that one document's sweep asked about alone
    kSizeBytes,
    kSupport,
};

// Sweep cases whose answers differ in the same way.
struct SweepChange {
    SweepProperty property = SweepProperty::kAlignmentBytes;
    std::vector<std::string> cases;  // paths: "/image_sweep/R8G8B8A8_UNORM/optimal/2d/SAMPLED/..."
    ChangeStatus status = ChangeStatus::kChanged;
    std::string from;
    std::string to;
    std::string condition;  // at which sizes: "at 128x128 and up"
    std::uint64_t changed_points = 0;
    std::uint64_t compared_points = 0;
    std::string statement;  // all of this in words
    std::string reason;
    // Of every changed point of the first case: width, height (buffers: size, 0), the baseline's value, the other's.
    // Memory types as bits in the other document's order, dedicated as the enumeration's number.
    std::vector<std::array<std::uint64_t, 4>> points;
};

// "/image_sweep/R8G8B8A8_UNORM/optimal/2d/SAMPLED/.../size_bytes", by the first of its cases.
[[nodiscard]] std::string path_of(const SweepChange& change);

struct PolicyNumberChange {
    std::string path;
    std::string from;
    std::string to;
};

// What the advisor makes of both: under one workload, by simulation.
struct PolicyImpact {
    std::string workload;
    double waste_from = 0;  // (reserved - used) / used, mean over the simulated run
    double waste_to = 0;
    std::vector<PolicyNumberChange> numbers;
    std::string statement;
};

struct DeviceComparison {
    std::optional<DeviceIdentity> baseline;  // empty: the device is new
    std::optional<DeviceIdentity> other;     // empty: the device is missing
    ChangeStatus status = ChangeStatus::kSame;
    std::uint64_t same_fields = 0;  // and sweep points
    std::vector<FieldChange> fields;
    std::vector<SweepChange> sweeps;
    std::optional<PolicyImpact> impact;
};

struct ComparedDocument {
    std::string file;
    std::string stable_hash;  // empty for validations
    std::string host;         // where it was made; empty when unknown
};

struct DocumentComparison {
    ComparedDocument baseline;
    ComparedDocument other;
    // Devices were paired whatever they are; their differences are shown and decide nothing.
    bool across_devices = false;
    std::vector<DeviceComparison> devices;
};

// An entry of the allow-list, a bound of --fail-on or a further probe that did not do what it is there for.
struct AllowListNote {
    std::string file;        // or the option
    std::uint64_t line = 0;  // 0: none
    std::string statement;
};

struct DeviceKind {
    std::string name;
    std::string driver;
    std::uint64_t reports = 0;
};

// Reports with equal allocation behaviour.
struct BehaviourGroup {
    std::string fingerprint;
    std::uint64_t reports = 0;
    std::string representative;  // the file of the member with the median heap size
    std::uint64_t representative_device = 0;
    std::uint64_t smallest_heap_bytes = 0;  // the largest device-local heap, over the members
    std::uint64_t largest_heap_bytes = 0;
    bool outlier = false;
    std::vector<DeviceKind> devices;         // most frequent first, at most kMaxListedDevices
    std::optional<std::uint64_t> served_by;  // index into the policies; empty: no policy within the waste serves it
    double waste = 0;                        // under that policy
    std::string not_served;                  // the reason
};

struct CoveringPolicy {
    std::string made_for;  // fingerprint
    std::string file;
    std::uint64_t groups = 0;
    std::uint64_t reports = 0;
};

// A driver that does not behave alike in all versions, on one device.
struct VersionChange {
    std::string device;
    std::string driver;
    std::vector<std::string> versions;      // ascending
    std::vector<std::string> fingerprints;  // of each version, joined by a space where one has several
    std::string statement;
};

struct SkippedFile {
    std::string file;
    std::string reason;
};

struct Clusters {
    std::uint64_t reports = 0;
    std::uint64_t devices = 0;
    std::string workload;
    double allowed_waste = 0;            // beyond the waste of the group's own policy
    std::vector<BehaviourGroup> groups;  // largest first
    std::vector<CoveringPolicy> policies;
    std::string cover_bound;  // how far the search went, empty when every group took part
    std::vector<VersionChange> version_changes;
    std::vector<SkippedFile> skipped;
};

inline constexpr std::size_t kMaxListedDevices = 16;

struct Comparison {
    DocumentHeader header;
    std::vector<DocumentComparison> documents;
    std::vector<AllowListNote> allow_list;
    std::optional<Clusters> clusters;
    DocumentVolatile run;
};

template <>
std::span<const std::string_view> names_of<FieldClass>();
template <>
std::span<const std::string_view> names_of<ChangeStatus>();

[[nodiscard]] Result<Comparison> read_comparison(std::string_view text, std::string_view source);
[[nodiscard]] std::string write(const Comparison& comparison);

}  // namespace heapwright::model
