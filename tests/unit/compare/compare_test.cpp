// Documents against each other: what is named, how it is judged, what is left out.
#include "compare/compare.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "committed.hpp"
#include "compare/glob.hpp"
#include "heapwright/model/json.hpp"
#include "workload/read.hpp"

using namespace heapwright;
using namespace heapwright::test;
using model::ChangeStatus;

namespace {

model::Comparison compare_reports(const model::Report& from, const model::Report& to,
                                  const compare::CompareOptions& options = {}) {
    model::Comparison comparison;
    auto result = compare::compare_documents(loaded(from, "from.json"), loaded(to, "to.json"), options);
    REQUIRE(result.has_value());
    comparison.documents.push_back(std::move(*result));
    return comparison;
}

const model::DeviceComparison& only_device(const model::Comparison& comparison) {
    REQUIRE(comparison.documents.at(0).devices.size() == 1);
    return comparison.documents[0].devices[0];
}

const model::FieldChange* find_field(const model::DeviceComparison& device, std::string_view pattern) {
    const auto found = std::ranges::find_if(
        device.fields, [&](const model::FieldChange& change) { return compare::matches_path(pattern, change.path); });
    return found == device.fields.end() ? nullptr : &*found;
}

void set_limit(model::DeviceReport& device, std::string_view name, std::uint64_t value) {
    const auto limit = std::ranges::find(device.limits, name, &model::Fact::name);
    REQUIRE(limit != device.limits.end());
    limit->value = value;
}

}  // namespace

TEST_CASE("path patterns match whole segments") {
    CHECK(compare::matches_path("/limits/*/max*", "/limits/VkPhysicalDeviceLimits/maxImageDimension2D"));
    CHECK_FALSE(compare::matches_path("/limits/max*", "/limits/VkPhysicalDeviceLimits/maxImageDimension2D"));
    CHECK(compare::matches_path("/**/reason", "/buckets/a/chunk/reason"));
    CHECK(compare::matches_path("/volatile/**", "/volatile"));
    CHECK(compare::matches_path("/**", "/a/b/c"));
    CHECK_FALSE(compare::matches_path("/a/*/c", "/a/b/b/c"));
    CHECK(compare::matches_path("/image_sweep/R8_UNORM/**/alignment_bytes",
                                "/image_sweep/R8_UNORM/optimal/2d/SAMPLED/one_mip/layers_1/samples_1/alignment_bytes"));
}

TEST_CASE("a report compares as same with itself") {
    for (const char* name : {"radv-navi10-mesa-25.0.7", "anv-kbl-mesa-22.3.6", "nvidia-h100-580.159.04-vulkan",
                             "nvidia-h100-580.159.04-vkd3d-1.2"}) {
        const model::Report report = committed_report(name);
        const auto comparison = compare_reports(report, report);
        for (const model::DeviceComparison& device : comparison.documents[0].devices) {
            INFO(name);
            CHECK(device.status == ChangeStatus::kSame);
            CHECK(device.fields.empty());
            CHECK(device.sweeps.empty());
            CHECK(device.same_fields > 100);
        }
        CHECK_FALSE(compare::outcome_of(comparison).fails(true));
    }
}

TEST_CASE("a doubled alignment in one format fails and is named") {
    const model::Report before = committed_report("radv-navi10-mesa-25.0.7");
    model::Report after = before;
    double_alignment(after.devices[0], model::Format::kR8Unorm);
    const auto workload = workload::preset("general-engine");
    REQUIRE(workload.has_value());
    const auto comparison = compare_reports(before, after, {.workload = &*workload});
    const model::DeviceComparison& device = only_device(comparison);
    CHECK(device.status == ChangeStatus::kRegressed);
    CHECK(device.fields.empty());
    REQUIRE_FALSE(device.sweeps.empty());
    bool found = false;
    for (const model::SweepChange& change : device.sweeps) {
        CHECK(change.property == model::SweepProperty::kAlignmentBytes);
        CHECK(change.status == ChangeStatus::kRegressed);
        for (const std::string& path : change.cases) CHECK(path.starts_with("/image_sweep/R8_UNORM/"));
        CHECK(change.points.size() == change.changed_points);
        found |= change.statement.starts_with("alignment 65536 to 131072 for R8_UNORM");
    }
    CHECK(found);
    REQUIRE(device.impact.has_value());
    CHECK(device.impact->statement.find("under general-engine") != std::string::npos);
    CHECK(device.impact->statement.find("chunk") != std::string::npos);
    CHECK(device.impact->statement.starts_with(device.sweeps.front().statement));
    CHECK(compare::outcome_of(comparison).fails(false));

    // The other way round is an improvement: reported, and a failure only where nothing unannounced may happen.
    const auto back = compare_reports(after, before);
    CHECK(only_device(back).status == ChangeStatus::kImproved);
    CHECK(compare::outcome_of(back).improved != 0);
    CHECK_FALSE(compare::outcome_of(back).fails(false));
    CHECK(compare::outcome_of(back).fails(true));
}

TEST_CASE("every class of field is judged by its rule") {
    const model::Report before = committed_report("radv-navi10-mesa-25.0.7");
    model::Report after = before;
    model::DeviceReport& device = after.devices[0];
    device.heaps[0].size_bytes -= 1 << 20;
    device.identity.pci->bus = 9;
    set_limit(device, "bufferImageGranularity", 1024);
    set_limit(device, "maxMemoryAllocationSize", 1 << 30);
    set_limit(device, "maxPushConstantsSize", 1024);
    set_limit(device, "framebufferColorSampleCounts", 5);
    device.extensions.erase(device.extensions.begin());
    device.extensions.push_back({.name = "VK_ZZZ_new", .spec_version = 1});
    device.queue_families[0].queue_count = 7;
    device.run.heap_budgets.assign(device.heaps.size(), {.budget_bytes = 5, .usage_bytes = 1});
    device.findings.push_back({.id = "made-up", .severity = model::FindingSeverity::kViolation, .statement = "x"});

    const auto comparison = compare_reports(before, after);
    const model::DeviceComparison& result = only_device(comparison);
    const auto status = [&](std::string_view pattern) {
        const model::FieldChange* change = find_field(result, pattern);
        INFO(pattern);
        REQUIRE(change != nullptr);
        return change->status;
    };
    CHECK(status("/heaps/device_local/size_bytes") == ChangeStatus::kExpected);
    CHECK(status("/identity/pci/bus") == ChangeStatus::kExpected);
    CHECK(status("/limits/*/bufferImageGranularity") == ChangeStatus::kRegressed);
    CHECK(status("/limits/*/maxMemoryAllocationSize") == ChangeStatus::kRegressed);
    CHECK(status("/limits/*/maxPushConstantsSize") == ChangeStatus::kImproved);
    CHECK(status("/limits/*/framebufferColorSampleCounts") == ChangeStatus::kRegressed);
    CHECK(status("/extensions/VK_ZZZ_new") == ChangeStatus::kNew);
    CHECK(status("/extensions/" + before.devices[0].extensions[0].name) == ChangeStatus::kMissing);
    CHECK(status("/queue_families/*/queue_count") == ChangeStatus::kImproved);
    CHECK(status("/findings/made-up") == ChangeStatus::kRegressed);
    CHECK(find_field(result, "/volatile/**") == nullptr);
    CHECK(result.status == ChangeStatus::kRegressed);
}

TEST_CASE("measured engines differ from run to run and are not compared; what a policy makes of them is, exactly") {
    const model::Report report = committed_report("anv-kbl-mesa-25.0.7");
    model::Report measured = report;
    measured.devices[0].run.engines = model::EngineMeasurements{.engines = {{.name = "graphics"}}, .steadiness = {}};
    CHECK(only_device(compare_reports(report, measured)).fields.empty());

    const auto text = [](std::string value) {
        return model::Decided<std::string>{.value = std::move(value), .why = {}};
    };
    model::Policy from;
    from.devices.emplace_back().identity = report.devices[0].identity;
    from.devices[0].engines = model::EnginePolicy{.assignments = {{.work = "draws", .engine = text("graphics")},
                                                                  {.work = "uploads", .engine = text("graphics")}}};
    model::Policy to = from;
    // In another order, and one on another engine.
    to.devices[0].engines->assignments = {{.work = "uploads", .engine = text("copy")},
                                          {.work = "draws", .engine = text("graphics")}};
    to.devices[0].engines->async_copy.value = true;
    to.devices[0].engines->copy_ring_length.value = 3;
    const auto result = compare::compare_documents(loaded_policy(from, "from.json"), loaded_policy(to, "to.json"), {});
    REQUIRE(result.has_value());
    const model::DeviceComparison& device = result->devices.at(0);
    CHECK(device.fields.size() == 3);
    for (const char* path : {"/engines/assignments/uploads/engine/value", "/engines/async_copy/value",
                             "/engines/copy_ring_length/value"}) {
        INFO(path);
        const model::FieldChange* change = find_field(device, path);
        REQUIRE(change != nullptr);
        CHECK(change->field_class == model::FieldClass::kExact);
    }
}

TEST_CASE("devices and memory types are matched by what they are") {
    const model::Report h100 = committed_report("nvidia-h100-580.159.04-vulkan");
    const model::Report radv = committed_report("radv-navi10-mesa-25.0.7");
    model::Report both;
    both.devices = {h100.devices[0], radv.devices[0]};
    model::Report swapped;
    swapped.devices = {radv.devices[0], h100.devices[0]};
    // Another place in the bus and another name, but the same device behind the same driver.
    swapped.devices[0].identity.name = "another name";
    const auto comparison = compare_reports(both, swapped);
    REQUIRE(comparison.documents[0].devices.size() == 2);
    for (const model::DeviceComparison& device : comparison.documents[0].devices) {
        REQUIRE(device.baseline.has_value());
        REQUIRE(device.other.has_value());
        CHECK(device.baseline->driver_id == device.other->driver_id);
        CHECK((device.status == ChangeStatus::kSame || device.status == ChangeStatus::kExpected));
    }

    // A memory type put in front moves every index: the answers say the same all the same.
    model::Report moved = h100;
    model::DeviceReport& device = moved.devices[0];
    device.memory_types.insert(device.memory_types.begin(),
                               {.heap_index = 1, .property_flags = model::memory_property::kRdmaCapableNv});
    const auto shift = [](auto& requirements) {
        for (model::RequirementClass& requirement : requirements) requirement.memory_type_bits <<= 1;
    };
    shift(device.image_sweep.requirements);
    shift(device.buffer_sweep.requirements);
    for (model::SparseImage& image : device.sparse_images) image.requirements.memory_type_bits <<= 1;
    for (model::SparseBuffer& buffer : device.sparse_buffers) buffer.requirements.memory_type_bits <<= 1;
    for (model::MemoryCostCurve& curve : device.run.memory_cost) ++curve.memory_type;
    const auto result = compare_reports(h100, moved);
    const model::DeviceComparison& only = only_device(result);
    CHECK(only.sweeps.empty());
    REQUIRE(only.fields.size() == 1);
    CHECK(only.fields[0].status == ChangeStatus::kNew);
    CHECK(only.fields[0].path.starts_with("/memory_types/RDMA_CAPABLE_NV@host"));
}

TEST_CASE("missing and new devices are told; by device only what stands in several documents is compared") {
    const model::Report radv = committed_report("radv-navi10-mesa-25.0.7");
    const model::Report old_radv = committed_report("radv-navi10-mesa-22.3.6");
    const model::Report anv = committed_report("anv-kbl-mesa-25.0.7");
    const auto comparison = compare_reports(radv, anv);
    REQUIRE(comparison.documents[0].devices.size() == 2);
    CHECK(comparison.documents[0].devices[0].status == ChangeStatus::kMissing);
    CHECK(comparison.documents[0].devices[1].status == ChangeStatus::kNew);
    CHECK(compare::outcome_of(comparison).fails(false));

    const std::vector documents{loaded(old_radv, "a"), loaded(anv, "b"), loaded(radv, "c")};
    const auto by_device = compare::compare_by_device(documents, {});
    REQUIRE(by_device.has_value());
    REQUIRE(by_device->size() == 1);
    CHECK((*by_device)[0].baseline.file == "a");
    CHECK((*by_device)[0].other.file == "c");
    CHECK((*by_device)[0].devices.size() == 1);
}

TEST_CASE("by device the failures of what stands in several documents are compared") {
    const model::Report anv = committed_report("anv-kbl-mesa-25.0.7");
    const model::Report radv = committed_report("radv-navi10-mesa-22.3.6");
    model::Report failing = committed_report("radv-navi10-mesa-25.0.7");
    const model::ProbeFailure failure{.driver = failing.devices[0].identity.name,
                                      .device = failing.devices[0].identity,
                                      .last_call = "vkQueueSubmit",
                                      .reason = "device lost"};
    failing.failures = {failure};
    const auto failures = [&](const model::Report& first, const model::Report& last) {
        const auto compared =
            compare::compare_by_device(std::vector{loaded(first, "a"), loaded(anv, "b"), loaded(last, "c")}, {});
        REQUIRE(compared.has_value());
        std::vector<model::FieldChange> found;
        for (const model::DeviceComparison& device : compared->at(0).devices) {
            std::ranges::copy_if(device.fields, std::back_inserter(found),
                                 [](const auto& field) { return field.path.starts_with("/failures/"); });
        }
        return found;
    };
    REQUIRE(failures(radv, failing).size() == 1);
    CHECK(failures(radv, failing)[0].status == ChangeStatus::kRegressed);
    REQUIRE(failures(failing, radv).size() == 1);
    CHECK(failures(failing, radv)[0].status == ChangeStatus::kImproved);
    CHECK(failures(failing, failing).empty());

    // A device that gave nothing any more.
    model::Report lost = failing;
    lost.devices = anv.devices;
    REQUIRE(failures(radv, lost).size() == 1);
    CHECK(failures(radv, lost)[0].status == ChangeStatus::kRegressed);

    // What only one document holds is no difference, and its failures are none.
    model::Report of_another = radv;
    of_another.failures = {failure};
    of_another.failures[0].device = anv.devices[0].identity;
    CHECK(failures(radv, of_another).empty());
}

TEST_CASE("an older report's failure of a device that gave nothing is the newer one's") {
    model::Report old = committed_report("radv-navi10-mesa-25.0.7");
    const model::DeviceIdentity device = old.devices[0].identity;
    old.devices.clear();
    model::Report recent = old;
    old.failures = {{.driver = device.name, .api = device.api, .last_call = "vkCreateDevice", .reason = "lost"}};
    recent.failures = old.failures;
    recent.failures[0].device = device;
    for (const auto& [from, to] : {std::pair{&old, &recent}, std::pair{&recent, &old}}) {
        const auto result = compare_reports(*from, *to);
        CHECK(result.documents[0].devices.empty());
    }
}

TEST_CASE("different devices are compared without a verdict") {
    const auto result = compare::compare_across(loaded(committed_report("radv-navi10-mesa-22.3.6"), "navi10.json"),
                                                loaded(committed_report("anv-kbl-mesa-22.3.6"), "kbl.json"), {});
    REQUIRE(result.has_value());
    model::Comparison comparison;
    comparison.documents.push_back(*result);
    CHECK_FALSE(compare::outcome_of(comparison).fails(true));
    bool alignment = false;
    bool size = false;
    for (const model::SweepChange& change : result->devices[0].sweeps) {
        CHECK(change.status != ChangeStatus::kRegressed);
        CHECK(change.status != ChangeStatus::kImproved);
        alignment |= change.property == model::SweepProperty::kAlignmentBytes && change.from == "65536" &&
                     change.to == "4096" && change.condition == "at 100x100 and up";
        size |= std::ranges::any_of(change.points, [&](const auto& point) {
            return change.property == model::SweepProperty::kSizeBytes && point[0] == 128 && point[1] == 16 &&
                   point[3] == 20504;
        });
    }
    CHECK(alignment);
    CHECK(size);
}

TEST_CASE("what a source cannot know is inconclusive") {
    const model::Report whole = committed_report("radv-navi10-mesa-25.0.7");
    model::Report import = whole;
    import.devices[0].origin = model::ReportOrigin::kImport;
    import.devices[0].absent = {"/features", "/queue_families"};
    import.devices[0].features.clear();
    import.devices[0].queue_families.clear();
    const auto comparison = compare_reports(whole, import);
    const model::DeviceComparison& device = only_device(comparison);
    CHECK(device.status == ChangeStatus::kInconclusive);
    CHECK_FALSE(compare::outcome_of(comparison).fails(true));
}

TEST_CASE("a share of a workload that no longer runs is worse, in whatever words it is told") {
    const auto played = [](double share, const std::string& words) {
        model::ScenarioResult scenario;
        scenario.name = "mixed-workload";
        scenario.verdict = model::Verdict::kValidatedInPart;
        scenario.part = model::PlayedPart{.bytes_share = share,
                                          .resources_share = share,
                                          .requests_share = share,
                                          .unplayed = {{.hint = "images/0", .reason = words}},
                                          .statement = words};
        model::DeviceValidation device;
        device.identity.name = "one";
        device.scenarios = {scenario};
        model::Validation validation;
        validation.devices = {device};
        return compare::LoadedDocument{.file = words, .document = validation};
    };
    const auto status = [&](double from, double to) {
        const auto result = compare::compare_documents(played(from, "before"), played(to, "after"), {});
        REQUIRE(result.has_value());
        REQUIRE(result->devices.size() == 1);
        return result->devices.front().status;
    };
    CHECK(status(0.9, 0.1) == ChangeStatus::kRegressed);
    CHECK(status(0.1, 0.9) == ChangeStatus::kImproved);
    CHECK(status(0.5, 0.5) == ChangeStatus::kSame);
}

TEST_CASE("kinds are not mixed, and only reports, policies and validations are compared") {
    const auto workload = workload::preset_text("general-engine");
    REQUIRE(workload.has_value());
    CHECK_FALSE(compare::load_document(*workload, "w.json").has_value());
    compare::LoadedDocument policy{.file = "p", .document = model::Policy{}};
    const auto mixed = compare::compare_documents(loaded({}, "r"), policy, {});
    REQUIRE_FALSE(mixed.has_value());
    CHECK(mixed.error().message.find("policy") != std::string::npos);
}

TEST_CASE("a baseline has the same bytes whatever differs from run to run and however the inputs are ordered") {
    const model::Report one = committed_report("radv-navi10-mesa-25.0.7");
    const model::Report other = committed_report("anv-kbl-mesa-22.3.6");
    model::Report later = one;
    later.run.created_utc = "2030-01-01T00:00:00Z";
    later.devices[0].run.timing.total_ns = 1;
    later.devices[0].run.heap_budgets.assign(later.devices[0].heaps.size(), {.budget_bytes = 7, .usage_bytes = 7});
    const std::string first = model::write(compare::baseline_of({loaded(one, "a"), loaded(other, "b")}));
    const std::string second = model::write(compare::baseline_of({loaded(other, "x"), loaded(later, "y")}));
    CHECK(first == second);
    const auto read = model::read_report(first, "baseline");
    REQUIRE(read.has_value());
    CHECK(model::write(*read) == first);
}
