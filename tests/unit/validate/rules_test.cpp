// Every rule of the two source documents has a sabotage that a run tells, and that nothing else makes it tell. The
// tables stand in descriptor_rules.cpp, lifetime_rules.cpp and frame_rules.cpp; docs/rules.md is made from them.
#include <cstdlib>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "core/file.hpp"
#include "replay_scene.hpp"
#include "rules.hpp"
#include "test_paths.hpp"

namespace rules_test {

using namespace heapwright;

namespace {

// What a run says is wrong.
std::vector<std::string> said(const rules::Rule& rule, bool is_sabotaged) {
    const rules::Stage& stage = rule.stage;
    model::DeviceReport report = test::scene_report();
    if (stage.change_report != nullptr) stage.change_report(report);
    model::DevicePolicy policy = test::scene_policy();
    if (is_sabotaged && stage.change_policy != nullptr) stage.change_policy(policy);
    const auto replay = replay::open_replay(report, {.interpolate = true, .mode = stage.mode, .seed = 2});
    REQUIRE(replay);
    device::Device* device = replay->get();
    std::vector<std::unique_ptr<device::Device>> before;
    const auto put = [&](std::unique_ptr<device::Device> (*make)(device::Device & inner)) {
        if (make == nullptr) return;
        before.push_back(make(*device));
        device = before.back().get();
    };
    put(stage.device);
    if (is_sabotaged) put(stage.lie);
    validate::ValidateOptions options;
    options.seed = 3;
    options.memory_limit_bytes = 512 * test::kMib;
    options.extra_frames_ns = 0;
    if (is_sabotaged) options.make_visible_heap = stage.heap;
    const auto result = validate::run_binding_scenario(
        {.name = "rule", .body = is_sabotaged ? rule.plays.sabotaged : rule.plays.clean}, *device, policy, options);
    if (!result) return {to_string(result.error())};
    std::vector<std::string> all;
    for (const model::ValidationFinding& finding : result->findings)
        all.push_back(finding.resource + ": " + finding.statement);
    if (all.empty() && result->verdict != model::Verdict::kReplayed) all.push_back(result->reason);
    const replay::ReplayCounters left = (*replay)->counters();
    if (left.source_allocations + left.resources + left.timelines + left.descriptor_heaps + left.command_allocators +
            left.pipelines !=
        0)
        all.emplace_back("objects of the device are left");
    return all;
}

// The part that the rule's expression matches, of the first that does. Numbers differ from run to run.
std::optional<std::string> example(const rules::Rule& rule, const std::vector<std::string>& said) {
    const std::regex wanted(rule.says);
    for (const std::string& text : said) {
        std::smatch match;
        if (!std::regex_search(text, match, wanted)) continue;
        const std::string hex = std::regex_replace(match.str(), std::regex("0x(?!deadbeef)[0-9a-f]+"), "0xN");
        return std::regex_replace(hex, std::regex("\\b[0-9]+\\b"), "N");
    }
    return std::nullopt;
}

// As a table's row.
std::string checked(const rules::Rule& rule) {
    INFO(rule.rule << " -- " << rule.sabotage);
    std::optional<std::string> told;
    if (rule.plays.clean == nullptr) {
        CHECK(rule.is_forbidden_by_types);
        told = rule.says;
    } else {
        for (const std::string& text : said(rule, false)) FAIL_CHECK("without the sabotage: " << text);
        const std::vector<std::string> all = said(rule, true);
        told = example(rule, all);
        if (!told) {
            for (std::size_t i = 0; i < all.size() && i < 6; ++i) UNSCOPED_INFO("with it: " << all[i]);
            FAIL_CHECK("nothing says that the rule is broken");
        }
    }
    return fmt::format("| {} | {} | {} | {} |\n", rule.rule, rule.section, rule.sabotage, told.value_or(""));
}

std::string table(std::string_view title, std::initializer_list<std::span<const rules::Rule>> parts) {
    std::string text =
        fmt::format("\n## {}\n\n| Rule | Source | Sabotage | What says so |\n|---|---|---|---|\n", title);
    for (const std::span<const rules::Rule> part : parts) {
        for (const rules::Rule& rule : part) text += checked(rule);
    }
    return text;
}

}  // namespace

TEST_CASE("every rule of the two source documents has a sabotage that its run tells, and docs/rules.md says which") {
    std::string text =
        "# Rules, and what tells that one is broken\n\n"
        "The rules are those of two articles on Diligent Engine; a source is a section of the article that the "
        "heading\n"
        "names. Each row is a test: its run says this with the sabotage, and nothing without it. Numbers of a message "
        "are\n"
        "N. The page is made by `tests/unit/validate/rules_test.cpp`, never by hand.\n";
    text += table("Managing Descriptor Heaps", {rules::descriptor_rules()});
    text += table("Managing Resource Lifetimes", {rules::lifetime_rules(), rules::frame_rules()});
    text +=
        "\n## Without a row\n\n"
        "States of resources are the backends' business, and no part of lifetimes here. Which manager of a CPU heap "
        "is\n"
        "asked first, how often a context takes a lock and how many command allocators there are change speed and "
        "size;\n"
        "nothing that is drawn tells them.\n";
    const std::string path = test::source_path("docs/rules.md");
    if (std::getenv("HEAPWRIGHT_UPDATE_GOLDEN") != nullptr) REQUIRE(write_file_atomically(path, text));
    INFO(path << " (HEAPWRIGHT_UPDATE_GOLDEN=1 writes it anew)");
    const auto committed = read_file(path);
    REQUIRE(committed);
    CHECK(*committed == text);
}

}  // namespace rules_test
