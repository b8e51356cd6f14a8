// Fields of the comparison.
#pragma once

#include "model/comparison.hpp"
#include "model/detail/fields_report.hpp"

namespace heapwright::model::detail {

template <>
struct Fields<NoisyTest> {
    using S = NoisyTest;
    static constexpr std::string_view kName = "noisy_test";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{
        field("p_value", &S::p_value, RealCodec{.max = 1}).says("How likely such a difference is by chance; 0 to 1"),
        field("alarm_below", &S::alarm_below, RealCodec{.max = 1})
            .says(
                "What p_value has to stay below for a change, after Holm's correction over the device's noisy fields"),
        field("ratio", &S::ratio)
            .says("Other median over the baseline's, the median over the points; 2 is twice as slow"),
        field("points", &S::points).says("Points of the curve that both documents have")};
};

template <>
struct Fields<FieldChange> {
    using S = FieldChange;
    static constexpr std::string_view kName = "field_change";
    static constexpr auto list = std::tuple{
        field("path", &S::path, TextCodec{.min_length = 1})
            .says("JSON pointer from the device; entries of arrays by what they are, such as a memory type's flags"),
        field("class", &S::field_class)
            .says("How the field is compared: exact, ordered, set, host_dependent, noisy or volatile"),
        field("status", &S::status)
            .says("What the difference amounts to; expected: follows the machine, or allowed; inconclusive: it cannot "
                  "be told"),
        field("from", &S::from).says("The baseline's value; empty: it has none"),
        field("to", &S::to).says("The other document's value; empty: it has none"),
        field("reason", &S::reason, Presence::kOptional).says("Why this status; absent: the class says it"),
        field("test", &S::test).says("The statistical test of a noisy field; absent: there was none")};
};

template <>
struct Fields<SweepChange> {
    using S = SweepChange;
    static constexpr std::string_view kName = "sweep_change";
    static constexpr auto list = std::tuple{
        field("property", &S::property)
            .says("What differs; case, cases, points: what one document's sweep alone asked about"),
        field("status", &S::status)
            .says("What the difference amounts to; expected: follows the machine, or allowed; inconclusive: it cannot "
                  "be told"),
        field("from", &S::from).says("The baseline's value; of sizes \"1\", which `to` is a ratio to"),
        field("to", &S::to).says("The other document's value; of sizes the ratios to the baseline's"),
        field("condition", &S::condition).says("At which sizes: \"at 128x128 and up\", \"at every size\""),
        field("statement", &S::statement).says("All of this in words"),
        field("reason", &S::reason, Presence::kOptional)
            .says("Why this status, such as the entry of the allow-list; absent: none is needed"),
        field("changed_points", &S::changed_points).says("Points at which it differs"),
        field("compared_points", &S::compared_points).says("Points that both documents asked about"),
        field("cases", &S::cases)
            .says("Paths of the cases that differ alike, \"/image_sweep/R8G8B8A8_UNORM/optimal/...\""),
        field("points", &S::points)
            .says("Of each changed point of the first case: width, height (buffers: size, 0), the baseline's value, "
                  "the other's")};
};

template <>
struct Fields<PolicyNumberChange> {
    using S = PolicyNumberChange;
    static constexpr std::string_view kName = "policy_number_change";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("path", &S::path).says("Which number of the policy, \"max_chunks\""),
                   field("from", &S::from).says("By the policy for the baseline; empty: it has none"),
                   field("to", &S::to).says("By the policy for the other document; empty: it has none")};
};

template <>
struct Fields<PolicyImpact> {
    using S = PolicyImpact;
    static constexpr std::string_view kName = "policy_impact";
    static constexpr auto list =
        std::tuple{field("workload", &S::workload).says("The workload that both devices are advised for, by name"),
                   field("waste_from", &S::waste_from)
                       .says("mean_waste that the policy for the baseline's device expects; 0.1 is 10%"),
                   field("waste_to", &S::waste_to).says("mean_waste that the policy for the other device expects"),
                   field("numbers", &S::numbers).says("Numbers of the policy that differ; empty: none"),
                   field("statement", &S::statement).says("All of this in words")};
};

template <>
struct Fields<DeviceComparison> {
    using S = DeviceComparison;
    static constexpr std::string_view kName = "device_comparison";
    static constexpr auto list = std::tuple{
        field("baseline", &S::baseline).says("The device in the baseline; absent: the device is new"),
        field("other", &S::other).says("The device in the other document; absent: the device is missing"),
        field("status", &S::status).says("The worst status of its differences"),
        field("same_fields", &S::same_fields).says("Fields and sweep points that are the same"),
        field("fields", &S::fields).says("Fields that differ; empty: none"),
        field("sweeps", &S::sweeps).says("Answers of the sweeps that differ; empty: none"),
        field("impact", &S::impact)
            .says("What the difference means for a workload; absent: not asked for, or not a comparison of reports")};
};

template <>
struct Fields<ComparedDocument> {
    using S = ComparedDocument;
    static constexpr std::string_view kName = "compared_document";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("file", &S::file).says("As the command line names it"),
                   field("stable_hash", &S::stable_hash, Presence::kOptional)
                       .says("XXH3-128 of its canonical JSON without the volatile sections; absent: a validation"),
                   field("host", &S::host, Presence::kOptional)
                       .says("Operating system, kernel and processor where it was made; absent: unknown")};
};

template <>
struct Fields<DocumentComparison> {
    using S = DocumentComparison;
    static constexpr std::string_view kName = "document_comparison";
    static constexpr auto list = std::tuple{
        field("baseline", &S::baseline).says("The document that the other is measured against"),
        field("other", &S::other).says("The document that is judged"),
        field("across_devices", &S::across_devices)
            .says("Whether devices were paired whatever they are, so that differences decide nothing"),
        field("devices", &S::devices).says("One entry for each pair of devices, and for each without a partner")};
};

template <>
struct Fields<AllowListNote> {
    using S = AllowListNote;
    static constexpr std::string_view kName = "allow_list_note";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("file", &S::file).says("The allow-list, or the option"),
                   field("line", &S::line).says("Line of the entry; 0: none"),
                   field("statement", &S::statement).says("What it did not do that it is there for, in words")};
};

template <>
struct Fields<DeviceKind> {
    using S = DeviceKind;
    static constexpr std::string_view kName = "device_kind";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("name", &S::name).says("The device's name"),
                                            field("driver", &S::driver).says("driver_id of its driver, \"MESA_RADV\""),
                                            field("reports", &S::reports).says("Devices of this kind in the group")};
};

template <>
struct Fields<BehaviourGroup> {
    using S = BehaviourGroup;
    static constexpr std::string_view kName = "behaviour_group";
    static constexpr auto list =
        std::tuple{field("fingerprint", &S::fingerprint, kHashCodec)
                       .says("Hash of the allocation behaviour that its members share, 32 hexadecimal digits"),
                   field("reports", &S::reports).says("Devices in the group"),
                   field("representative", &S::representative).says("File of the member with the median heap size"),
                   field("representative_device", &S::representative_device)
                       .says("That member's place among the devices of the file, from 0"),
                   field("smallest_heap_bytes", &S::smallest_heap_bytes)
                       .says("The largest device-local heap of the member that has least"),
                   field("largest_heap_bytes", &S::largest_heap_bytes)
                       .says("The largest device-local heap of the member that has most"),
                   field("outlier", &S::outlier)
                       .says("Whether next to nobody behaves so although its devices and drivers are common"),
                   field("devices", &S::devices).says("Kinds of devices in it, the most frequent first, at most 16"),
                   field("served_by", &S::served_by)
                       .says("Index into policies; absent: no policy serves it within the allowed waste"),
                   field("waste", &S::waste)
                       .says("(reserved - used) / used under that policy; 0.1 is 10%; 0 where none serves it"),
                   field("not_served", &S::not_served, Presence::kOptional)
                       .says("Why no policy serves it; absent: one does, or none was searched")};
};

template <>
struct Fields<CoveringPolicy> {
    using S = CoveringPolicy;
    static constexpr std::string_view kName = "covering_policy";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("made_for", &S::made_for, kHashCodec)
                                                .says("Fingerprint of the group whose representative it was made for"),
                                            field("file", &S::file).says("The report of that representative"),
                                            field("groups", &S::groups).says("Groups that it serves"),
                                            field("reports", &S::reports).says("Devices in these groups")};
};

template <>
struct Fields<VersionChange> {
    using S = VersionChange;
    static constexpr std::string_view kName = "version_change";
    static constexpr auto list = std::tuple{
        field("device", &S::device).says("The device's name"),
        field("driver", &S::driver).says("driver_id of the driver, \"MESA_RADV\""),
        field("versions", &S::versions).says("Versions that were seen, ascending"),
        field("fingerprints", &S::fingerprints).says("Of each version, joined by a space where one has several"),
        field("statement", &S::statement).says("What changed, in words")};
};

template <>
struct Fields<SkippedFile> {
    using S = SkippedFile;
    static constexpr std::string_view kName = "skipped_file";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("file", &S::file).says("The file that was left out"),
                                            field("reason", &S::reason).says("Why it is no report that can be read")};
};

template <>
struct Fields<Clusters> {
    using S = Clusters;
    static constexpr std::string_view kName = "clusters";
    static constexpr auto list = std::tuple{
        field("reports", &S::reports).says("Reports that were read"),
        field("devices", &S::devices).says("Devices in them"),
        field("workload", &S::workload).says("The workload that policies were searched for, by name; empty: none was"),
        field("allowed_waste", &S::allowed_waste)
            .says("What a policy may waste beyond a group's own policy; 0.05 is 5 points"),
        field("groups", &S::groups).says("Reports of equal allocation behaviour, the largest group first"),
        field("policies", &S::policies)
            .says("The fewest policies found that serve the groups; empty: none was searched"),
        field("cover_bound", &S::cover_bound).says("How far the search went, in words; empty: every group took part"),
        field("version_changes", &S::version_changes)
            .says("Drivers that do not behave alike in all versions; empty: none"),
        field("skipped", &S::skipped).says("Files that were left out; empty: none")};
};

template <>
struct Fields<Comparison> {
    using S = Comparison;
    static constexpr std::string_view kName = "comparison";
    static constexpr DocumentKind kKind = DocumentKind::kComparison;
    static constexpr std::string_view kPurpose =
        "What differs between documents and a baseline, device by device; `heapwright compare` writes it";
    static constexpr auto list = std::tuple{
        tool_field<S>(),
        sources_field<S>(),
        field("documents", &S::documents).says("One entry for each document that was compared with the baseline"),
        field("allow_list", &S::allow_list)
            .says("Entries and bounds that did nothing, which deserves a look; empty: none"),
        field("clusters", &S::clusters).says("How many reports behave alike; absent: no such comparison was asked for"),
        volatile_field(&S::run).says("What differs from run to run")};
};

}  // namespace heapwright::model::detail
