#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "example.hpp"
#include "heapwright/model/json.hpp"
#include "render/advice_table.hpp"
#include "render/first_screen.hpp"
#include "render/overview.hpp"

using namespace heapwright;
using namespace heapwright::render;

namespace {

FirstScreen screen_of(const std::vector<ReportDocument>& documents) {
    return first_screen(documents, list_devices(documents).front());
}

ReportDocument report_file(model::Report report) {
    return {.file = "report.json", .document = std::move(report)};
}
ReportDocument policy_file(model::Policy policy) {
    return {.file = "my policy.json", .document = std::move(policy)};
}

// A validation of this policy in which the workload was played.
model::Validation played(const model::Policy& policy) {
    model::Validation validation;
    validation.header.sources = {{.kind = model::DocumentKind::kPolicy, .stable_hash = model::stable_hash(policy)}};
    model::DeviceValidation& device = validation.devices.emplace_back();
    device.identity = policy.devices.front().identity;
    device.verdict = model::Verdict::kValidated;
    device.reason = "every check passed (1 remark); more";
    model::ScenarioResult& run = device.scenarios.emplace_back();
    run.name = "mixed-workload";
    run.verdict = model::Verdict::kValidated;
    run.memory = {.peak_used_bytes = 100, .peak_reserved_bytes = 120, .mean_waste = 0.125};
    run.counts.device_allocations = 7;
    run.counts.verified_bytes = 1024;
    run.run.worst_frame_ns = 2'000'000;
    return validation;
}

model::ScenarioResult baseline(std::string name, double waste) {
    model::ScenarioResult run;
    run.name = std::move(name);
    run.memory = {.peak_used_bytes = 100, .peak_reserved_bytes = 200, .mean_waste = waste};
    return run;
}

const KeyFigure& figure(const FirstScreen& screen, std::string_view name) {
    const auto found = std::ranges::find(screen.figures, name, &KeyFigure::name);
    REQUIRE(found != screen.figures.end());
    return *found;
}

}  // namespace

TEST_CASE("A report alone has no policy, and the next step makes one") {
    const FirstScreen screen = screen_of({report_file(model::example::report())});
    CHECK(screen.standing == Standing::kPlain);
    CHECK(screen.figures.size() == 3);
    REQUIRE(!screen.next.empty());
    CHECK(screen.next.front().command == "heapwright advise report.json -o policy.json");
}

TEST_CASE("A policy without a run is not validated, and names the command that does it") {
    model::Policy policy = model::example::policy();
    policy.devices.front().capacity.reset();
    const FirstScreen screen = screen_of({policy_file(policy)});
    CHECK(screen.standing == Standing::kDoubtful);
    CHECK(screen.verdict == "Not validated");
    CHECK(screen.next.front().command == "heapwright validate 'my policy.json' -o validation.json");
    CHECK(screen.driver_standing == Standing::kDoubtful);

    SECTION("a workload that has no room is worse") {
        policy.devices.front().capacity = model::CapacityPlan{.fits = false, .missing_bytes = 1024};
        const FirstScreen full = screen_of({policy_file(policy)});
        CHECK(full.standing == Standing::kBad);
        CHECK(full.cause.find("1 KiB") != std::string::npos);
    }
    SECTION("figures that the policy does not promise stay empty") {
        policy.devices.front().expectations.reset();
        for (const KeyFigure& each : screen_of({policy_file(policy)}).figures) CHECK(each.value.empty());
    }
}

TEST_CASE("A run shows its figures beside VMA's and beside what was promised") {
    model::Policy policy = model::example::policy();
    policy.devices.front().capacity.reset();
    model::Validation validation = played(policy);
    model::DeviceValidation& device = validation.devices.front();
    device.baselines = {baseline("mixed-workload/one-each", 0.5), baseline("mixed-workload/vma-default", 0.25)};
    device.scenarios.front().run.promises = {{.name = {model::PromiseKind::kMeanWaste},
                                              .predicted = 0.1,
                                              .measured = 0.125,
                                              .least = 0.05,
                                              .most = 0.2,
                                              .tolerance = {},
                                              .verdict = model::PromiseVerdict::kKept,
                                              .reason = {}}};
    const auto screen = [&] { return screen_of({policy_file(policy), {.file = "v.json", .document = validation}}); };
    CHECK(screen().standing == Standing::kGood);
    CHECK(screen().cause == "Every check passed. 1 KiB were compared byte by byte.");
    CHECK(figure(screen(), "Waste").value == "12.5%");
    CHECK(figure(screen(), "Waste").beside == "2 times less than VMA's default, 25%; promised 5% to 20%: kept");
    CHECK(figure(screen(), "Waste").note == "lower is better");
    CHECK(figure(screen(), "Device allocations").value == "7");
    CHECK(figure(screen(), "Worst frame").value == "2 ms");
    CHECK(screen().next.front().command.starts_with("heapwright export"));

    SECTION("a broken promise takes the green away") {
        device.scenarios.front().run.promises.front().verdict = model::PromiseVerdict::kBroken;
        CHECK(screen().standing == Standing::kDoubtful);
        CHECK(figure(screen(), "Waste").standing == Standing::kBad);
    }
    SECTION("so does a part of the workload, which is said first") {
        device.verdict = model::Verdict::kValidatedInPart;
        device.reason = "22% of the bytes, 40% of the resources and 52% of the requests ran; every check passed";
        CHECK(screen().standing == Standing::kDoubtful);
        CHECK(screen().verdict == "Validated in part");
        CHECK(screen().cause.starts_with("22% of the bytes, 40% of the resources"));
    }
    SECTION("a fault is the driver's first line") {
        device.verdict = model::Verdict::kFailed;
        device.scenarios.front().findings = {
            {.fault = model::Fault::kStaleBytes, .step = 1, .resource = "image 1", .statement = "old bytes"}};
        device.scenarios.front().findings_total = 3;
        CHECK(screen().standing == Standing::kBad);
        CHECK(screen().driver == "3 faults while the policy ran");
        CHECK(screen().faults == std::vector<std::string>{"mixed-workload: old bytes"});
    }
    SECTION("a replay is no proof on the device") {
        device.verdict = model::Verdict::kReplayed;
        CHECK(screen().standing == Standing::kDoubtful);
        CHECK(screen().next.front().command.starts_with("heapwright validate"));
    }
    SECTION("the run of another policy says nothing of this one") {
        validation.header.sources.front().stable_hash = "0123";
        CHECK(screen().verdict == "Not validated");
        CHECK(figure(screen(), "Waste").value != "12.5%");
    }
}

TEST_CASE("What failed beside a validation leads: its screen, the main job's and the page's") {
    const model::Report report = model::example::report();
    model::Policy policy = model::example::policy();
    policy.devices.front().identity = report.devices.front().identity;
    policy.devices.front().capacity.reset();
    model::Validation validation = played(policy);
    validation.failures = {{.driver = "lost_icd.json", .last_call = "vkCreateInstance", .reason = "it crashed"}};
    const std::string lead = "FAILED: not validated: lost_icd.json: it crashed, last call vkCreateInstance\n";
    CHECK(overview(validation, {}).starts_with(lead));
    CHECK(overview(report, policy, validation, {}).starts_with(lead));
    const FirstScreen screen =
        screen_of({report_file(report), policy_file(policy), {.file = "validation.json", .document = validation}});
    CHECK(std::ranges::count(screen.faults, "not validated: lost_icd.json: it crashed") == 1);
    CHECK(screen.driver.find("1 driver or device could not be validated") != std::string::npos);
    // Of many, a few are named; a driver that failed twice is told once.
    model::Report probed = report;
    probed.failures = validation.failures;
    CHECK(overview(probed, policy, validation, {}).find("not probed") == std::string::npos);
    validation.failures.resize(9, validation.failures.front());
    CHECK(overview(validation, {}).find("and 5 more failures (-v)") != std::string::npos);
}

TEST_CASE("A sweep that a probe did not come to was not asked, and one without answers is told as that") {
    model::Report report = model::example::report();
    model::DeviceReport& device = report.devices.front();
    CHECK(overview(report, {}).find("nothing was asked") == std::string::npos);
    device.observations = {};
    std::string screen = overview(report, {});
    CHECK(screen.find("no answer to ") != std::string::npos);
    device.image_sweep = {};
    device.buffer_sweep = {};
    screen = overview(report, {});
    for (const char* line : {"Images asked about  nothing was asked", "Buffers asked about  nothing was asked"})
        CHECK(screen.find(line) != std::string::npos);
    for (const char* wrong : {"0 tables", "not known"}) CHECK(screen.find(wrong) == std::string::npos);
}

TEST_CASE("Violations come before warnings, and the next step shows one") {
    model::Report report = model::example::report();
    report.failures.clear();
    const auto finding = [](std::string id, model::FindingSeverity severity) {
        return model::Finding{
            .id = id, .severity = severity, .statement = id + " happens", .clause = "", .evidence = {}};
    };
    report.devices.front().findings = {finding("doubt", model::FindingSeverity::kWarning),
                                       finding("remark", model::FindingSeverity::kNote),
                                       finding("wrong", model::FindingSeverity::kViolation)};
    const FirstScreen screen = screen_of({report_file(report)});
    CHECK(screen.driver_standing == Standing::kBad);
    CHECK(screen.driver == "1 answer breaks the specification, 1 warning");
    CHECK(screen.faults == std::vector<std::string>{"wrong happens", "doubt happens"});
    CHECK(screen.next.back().command == "heapwright reproduce wrong report.json");

    report.devices.front().findings.clear();
    CHECK(screen_of({report_file(report)}).driver_standing == Standing::kGood);
}

TEST_CASE("Policies stand side by side, and rows that differ are marked") {
    model::Policy other = model::example::policy();
    other.workload_name = "another";
    other.devices.front().uploads.ring_bytes.value = 3 << 20;
    other.devices.front().buckets.erase(other.devices.front().buckets.begin());
    const std::vector<ReportDocument> documents = {policy_file(model::example::policy()), policy_file(other)};
    const PolicyTable table = policy_table(documents);
    REQUIRE(table.policies.size() == 2);
    const auto row = [&](std::string_view name) {
        const auto found = std::ranges::find(table.rows, name, &PolicyRow::name);
        REQUIRE(found != table.rows.end());
        return *found;
    };
    CHECK(row("upload ring").differs);
    CHECK(row("upload ring").cells[1] == "3 MiB");
    CHECK(!row("a frame has").differs);
    const PolicyRow lost = row(model::example::policy().devices.front().buckets.front().id);
    CHECK(lost.differs);
    CHECK(!lost.cells[0].empty());
    CHECK(lost.cells[1].empty());
    CHECK(row("upload ring").cells[0] != "3 MiB");
    SECTION("a bucket that one of three lacks differs in its first row alone") {
        const std::vector<ReportDocument> three = {policy_file(model::example::policy()),
                                                   policy_file(model::example::policy()), policy_file(other)};
        const std::string group = "Bucket " + lost.name;
        std::vector<PolicyRow> rows = policy_table(three).rows;
        std::erase_if(rows, [&](const PolicyRow& each) { return each.group != group; });
        REQUIRE(rows.size() > 1);
        CHECK(rows.front().differs);
        CHECK(std::none_of(rows.begin() + 1, rows.end(), [](const PolicyRow& each) { return each.differs; }));
    }
    // Rows of a group follow each other.
    std::vector<std::string> groups;
    for (const PolicyRow& each : table.rows)
        if (groups.empty() || groups.back() != each.group) groups.push_back(each.group);
    std::ranges::sort(groups);
    CHECK(std::ranges::adjacent_find(groups) == groups.end());
}
