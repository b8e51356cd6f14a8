// Every decided value of a policy is used by a target or listed as not expressible in it, and the account says so.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <string>

#include "example.hpp"
#include "export/export.hpp"
#include "export/setting.hpp"

using namespace heapwright;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string without_escapes(std::string text) {
    std::erase(text, '\\');
    return text;
}

}  // namespace

TEST_CASE("the walk finds the values that the document decides") {
    const auto values = exporting::policy_values(model::example::policy(), 0);
    const auto has = [&](std::string_view path, std::string_view text) {
        return std::any_of(values.begin(), values.end(),
                           [&](const auto& value) { return value.path == path && value.text == text; });
    };
    CHECK(has("/heaps/0/usable_bytes", "7516192768"));
    CHECK(has("/buckets/0/chunk_size_bytes", "138547332"));
    CHECK(has("/buckets/0/growth/divisor", "8"));
    CHECK(has("/descriptors/samplers/dynamic_chunk", "16"));
    CHECK(has("/uploads/page_bytes", "4194304"));
    CHECK(has("/dedicated", "\"when_preferred\""));
    CHECK(exporting::policy_values(model::example::policy(), 7).empty());
}

TEST_CASE("no value is lost in any target, and the account says what the caller is told") {
    auto policy = model::example::policy();
    for (const auto& target : exporting::targets()) {
        INFO(target.name);
        policy.devices[0].identity.api = target.api.value_or(model::Api::kVulkan);
        const auto exported = exporting::export_policy(policy, 0, target.name);
        REQUIRE(exported);
        std::string text;
        for (const std::string& line : exported->account) text += line + "\n";
        for (const auto& value : exporting::policy_values(policy, 0)) {
            INFO(value.path);
            CHECK(text.find(value.path) != std::string::npos);
        }
        for (const auto* lines : {&exported->changes, &exported->not_expressible, &exported->left_out}) {
            for (const std::string& line : *lines) CHECK_THAT(text, ContainsSubstring(line));
        }
        CHECK_THAT(without_escapes(exported->text), ContainsSubstring(std::string(target.checked_against)));
        // A line "not expressible in X: VALUE: WHY" has a reason.
        for (const std::string& line : exported->not_expressible) {
            CHECK(line.find(": it has no setting for it") == std::string::npos);
        }
    }
}

TEST_CASE("every target has a table of its settings") {
    for (const auto& target : exporting::targets()) {
        const auto table = exporting::settings_table(target.name);
        REQUIRE(table);
        CHECK_THAT(*table, ContainsSubstring("| unit "));
        CHECK_THAT(*table, ContainsSubstring("| range "));
        CHECK_THAT(*table, ContainsSubstring("| rounding "));
        CHECK_THAT(*table, ContainsSubstring("| default "));
        CHECK_THAT(*table, ContainsSubstring("| comes from"));
        CHECK(std::count(table->begin(), table->end(), '\n') >= 3);
    }
    CHECK_FALSE(exporting::settings_table("nothing"));
}
