#include "render/first_screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "core/text.hpp"
#include "render/detail/device_parts.hpp"
#include "render/detail/policy_rows.hpp"
#include "render/detail/screen.hpp"

namespace heapwright::render {
namespace {

using detail::DeviceParts;

// The hash of the policy that a validation ran; empty where it does not say.
std::string policy_that_ran(const model::Validation& validation) {
    for (const model::SourceDocument& source : validation.header.sources)
        if (source.kind == model::DocumentKind::kPolicy) return source.stable_hash;
    return {};
}

DeviceParts parts_of(std::span<const ReportDocument> documents, const ListedDevice& device) {
    DeviceParts parts;
    if (!device.reports.empty()) {
        const DevicePlace& place = device.reports.front();
        const auto& report = document_at<model::Report>(documents, place);
        parts.report = &report.devices[place.device];
        parts.report_file = documents[place.document].file;
        parts.failures = report.failures;
    }
    std::string hash;
    if (!device.policies.empty()) {
        const DevicePlace& place = device.policies.front();
        const auto& policy = document_at<model::Policy>(documents, place);
        parts.policy = &policy.devices[place.device];
        parts.policy_file = documents[place.document].file;
        parts.workload = policy.workload_name;
        hash = hash_of(documents[place.document], policy);
    }
    // The validation of the policy that is shown, where there is one.
    for (const DevicePlace& place : device.validations) {
        const auto& validation = document_at<model::Validation>(documents, place);
        const std::string ran = policy_that_ran(validation);
        const bool another = !hash.empty() && !ran.empty() && ran != hash;
        if (parts.validation != nullptr && (another || !parts.ran_another_policy)) continue;
        parts.validation = &validation.devices[place.device];
        parts.not_validated = validation.failures;
        parts.ran_another_policy = another;
    }
    return parts;
}

std::string sentence(std::string_view text) {
    std::string line(text);
    if (!line.empty() && line.back() != '.') line += '.';
    if (!line.empty() && line[0] >= 'a' && line[0] <= 'z') line[0] = static_cast<char>(line[0] - 'a' + 'A');
    return line;
}

struct VerdictWords {
    model::Verdict verdict;
    Standing standing;
    std::string_view words;
};
constexpr VerdictWords kVerdictWords[] = {
    {model::Verdict::kValidated, Standing::kGood, "Validated on this device"},
    {model::Verdict::kReplayed, Standing::kDoubtful, "Replayed, not run on the device"},
    {model::Verdict::kValidatedInPart, Standing::kDoubtful, "Validated in part"},
    {model::Verdict::kReplayedInPart, Standing::kDoubtful, "Replayed in part, not run on the device"},
    {model::Verdict::kFailed, Standing::kBad, "Do not use it: a check failed"},
    {model::Verdict::kInconclusive, Standing::kDoubtful, "Not decided: the checks are incomplete"},
    {model::Verdict::kNotSupported, Standing::kDoubtful, "Not checked: the device lacks what it takes"},
};
static_assert(std::size(kVerdictWords) == static_cast<std::size_t>(model::Verdict::kReplayedInPart) + 1);

void tell_validation(const DeviceParts& parts, FirstScreen& screen) {
    const model::DeviceValidation& validation = *parts.validation;
    std::string_view cause = detail::first_clause(detail::reason_beside_plan(validation));
    // What follows in parentheses are remarks on single scenarios, which stand below.
    if (validation.verdict == model::Verdict::kValidated) cause = cause.substr(0, cause.find(" ("));
    const auto& told = *std::ranges::find(kVerdictWords, validation.verdict, &VerdictWords::verdict);
    screen.standing = told.standing;
    screen.verdict = told.words;
    screen.cause = sentence(cause);
    if (!validation.left_out.empty())
        screen.cause = sentence(model::left_out_text(validation.left_out)) + " " + screen.cause;
    const auto promise_broken = [](const model::ScenarioResult& scenario) {
        return std::ranges::any_of(scenario.run.promises, [](const model::Promise& promise) {
            return promise.verdict == model::PromiseVerdict::kBroken;
        });
    };
    if (screen.standing == Standing::kGood && std::ranges::any_of(validation.scenarios, promise_broken)) {
        screen.standing = Standing::kDoubtful;
        screen.verdict = "Every byte was right; a promise was broken";
    }
    if (parts.ran_another_policy) {
        screen.standing = Standing::kDoubtful;
        screen.verdict = "Not validated";
        screen.cause = "The validation among the documents is of another policy.";
    }
}

void tell_policy_verdict(const DeviceParts& parts, FirstScreen& screen) {
    const auto& capacity = parts.policy->capacity;
    if (capacity && !capacity->fits) {
        screen.standing = Standing::kBad;
        screen.verdict = "The workload does not fit this device";
        screen.cause = fmt::format("It {}.", model::statement_of(*capacity));
        return;
    }
    screen.standing = Standing::kDoubtful;
    screen.verdict = "Not validated";
    screen.cause = "The policy is computed from the report; no run of it is among the documents.";
}

// The chunks of the buckets that hold most, and the sizes that people ask for first.
void tell_policy(const DeviceParts& parts, FirstScreen& screen) {
    constexpr std::size_t kBuckets = 3;
    const model::DevicePolicy& policy = *parts.policy;
    screen.workload = parts.workload;
    const std::vector<const model::BucketPolicy*> used = detail::used_buckets(policy);
    for (std::size_t i = 0; i < std::min(used.size(), kBuckets); ++i) {
        screen.policy.emplace_back(
            fmt::format("{}; {}", detail::contents_text(*used[i]), detail::place_text(policy, *used[i])),
            fmt::format("{} chunks, {} in use", byte_text(used[i]->chunk_size_bytes.value),
                        byte_text(used[i]->expected_bytes)));
    }
    screen.policy.emplace_back("memory of its own above", byte_text(policy.humongous_threshold_bytes.value));
    screen.policy.emplace_back("upload ring", byte_text(policy.uploads.ring_bytes.value));
}

void tell_driver(const DeviceParts& parts, FirstScreen& screen) {
    constexpr std::size_t kFaults = 3;
    const auto add_fault = [&](std::string text) {
        if (screen.faults.size() < kFaults) screen.faults.push_back(std::move(text));
    };
    for (const model::ProbeFailure& failure : parts.not_validated)
        add_fault(fmt::format("not validated: {}: {}", failure.driver, failure.reason));
    std::uint64_t faults = 0;
    if (parts.validation != nullptr) {
        for (const model::ScenarioResult& scenario : parts.validation->scenarios) {
            faults += std::max<std::uint64_t>(scenario.findings_total, scenario.findings.size());
            for (const model::ValidationFinding& finding : scenario.findings)
                add_fault(fmt::format("{}: {}", scenario.name, finding.statement));
        }
    }
    if (parts.report == nullptr) {
        screen.driver_standing = faults == 0 ? Standing::kDoubtful : Standing::kBad;
        screen.driver = faults == 0 ? "Not known: no report of it is among the documents"
                                    : fmt::format("{} while the policy ran", counted(faults, "fault"));
        return;
    }
    const model::DeviceReport& report = *parts.report;
    const std::uint64_t violations = detail::findings_of(report, model::FindingSeverity::kViolation);
    const std::uint64_t warnings = detail::findings_of(report, model::FindingSeverity::kWarning);
    for (const auto severity : {model::FindingSeverity::kViolation, model::FindingSeverity::kWarning}) {
        for (const model::Finding& finding : report.findings) {
            if (finding.severity != severity) continue;
            add_fault(fmt::format("{}{}", finding.statement,
                                  finding.clause.empty() ? "" : fmt::format(" ({})", finding.clause)));
        }
    }
    for (const model::ProbeFailure& failure : parts.failures)
        add_fault(fmt::format("not probed: {}: {}", failure.driver, failure.reason));
    std::vector<std::string> words;
    if (violations != 0) words.push_back(counted(violations, "answer breaks", "answers break") + " the specification");
    if (faults != 0) words.push_back(counted(faults, "fault") + " while the policy ran");
    if (warnings != 0) words.push_back(counted(warnings, "warning"));
    if (!parts.failures.empty()) words.push_back(counted(parts.failures.size(), "driver") + " could not be probed");
    if (!parts.not_validated.empty())
        words.push_back(counted(parts.not_validated.size(), "driver or device", "drivers or devices") +
                        " could not be validated");
    for (const std::string& each : words) screen.driver += (screen.driver.empty() ? "" : ", ") + each;
    screen.driver_standing = violations + faults != 0 ? Standing::kBad : Standing::kDoubtful;
    if (words.empty()) {
        const bool imported = report.origin == model::ReportOrigin::kImport;
        screen.driver_standing = imported ? Standing::kPlain : Standing::kGood;
        screen.driver = imported ? "Nothing found in what another tool recorded; it was not asked by heapwright"
                                 : "No answer breaks the specification";
    }
}

// What came by a pipe has no name.
std::string argument(const std::string& file, std::string_view otherwise = {}) {
    return file == "standard input" ? std::string(otherwise) : shell_argument(file);
}

void tell_next(const DeviceParts& parts, FirstScreen& screen) {
    const auto add = [&](std::string_view text, std::string command) {
        screen.next.push_back({.text = std::string(text), .command = std::move(command)});
    };
    const std::string report = argument(parts.report_file, "report.json");
    const std::string policy = argument(parts.policy_file, "policy.json");
    const model::DeviceValidation* validation = parts.ran_another_policy ? nullptr : parts.validation;
    if (parts.policy == nullptr && parts.report != nullptr) {
        add("Compute a policy from this report:", fmt::format("heapwright advise {} -o policy.json", report));
    } else if (parts.policy == nullptr) {
        add("Show the policy beside its validation:",
            "heapwright report report.json policy.json validation.json -o page.html");
    } else if (parts.policy->capacity && !parts.policy->capacity->fits) {
        add("See which resources have no place:", fmt::format("heapwright explain {}", policy));
    } else if (validation == nullptr || (validation->verdict != model::Verdict::kValidated &&
                                         validation->verdict != model::Verdict::kValidatedInPart)) {
        const bool failed = validation != nullptr && validation->verdict == model::Verdict::kFailed;
        add(failed ? "Read the faults under \"At work\"; after a change, run it again:" : "Run it on the device:",
            fmt::format("heapwright validate {} -o validation.json", policy));
    } else {
        add("Put it into your allocator:",
            fmt::format("heapwright export {} --target vma -o heapwright_policy.hpp", policy));
    }
    if (parts.report == nullptr) return add("Ask the driver:", "heapwright probe -o report.json");
    const auto& findings = parts.report->findings;
    const auto broken = std::ranges::find(findings, model::FindingSeverity::kViolation, &model::Finding::severity);
    if (broken != findings.end())
        add("Show the driver's fault with a program of its own:",
            fmt::format("heapwright reproduce {} {}", argument(broken->id), report));
}

}  // namespace

std::optional<NextStep> compare_step(std::span<const ReportDocument> documents) {
    std::vector<std::string> reports;
    for (const ReportDocument& each : documents) {
        if (std::holds_alternative<model::Comparison>(each.document)) return {};
        if (std::holds_alternative<model::Report>(each.document)) reports.push_back(argument(each.file));
    }
    if (reports.size() != 2 || reports[0].empty() || reports[1].empty()) return {};
    return NextStep{.text = "See how the two reports differ:",
                    .command = fmt::format("heapwright compare {} {}", reports[0], reports[1])};
}

FirstScreen first_screen(std::span<const ReportDocument> documents, const ListedDevice& device) {
    const DeviceParts parts = parts_of(documents, device);
    FirstScreen screen;
    if (parts.validation != nullptr) {
        tell_validation(parts, screen);
        if (!parts.ran_another_policy) {
            const std::uint64_t bytes = detail::bytes_checked(*parts.validation);
            if (bytes != 0) screen.cause += fmt::format(" {} were compared byte by byte.", byte_text(bytes));
        }
    } else if (parts.policy != nullptr) {
        tell_policy_verdict(parts, screen);
    } else {
        screen.verdict = "No policy yet";
        screen.cause = "The documents hold what the driver says, and no policy made from it.";
    }
    screen.figures = detail::key_figures(parts);
    if (parts.policy != nullptr) tell_policy(parts, screen);
    tell_driver(parts, screen);
    tell_next(parts, screen);
    return screen;
}

}  // namespace heapwright::render
