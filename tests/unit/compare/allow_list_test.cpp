// The allow-list: what it accepts, what it says of entries that are stale, and where a mistake stands.
#include "heapwright/compare/allow_list.hpp"

#include <catch2/catch_test_macros.hpp>

#include "committed.hpp"
#include "heapwright/compare/compare.hpp"

using namespace heapwright;
using namespace heapwright::test;
using compare::AllowList;

namespace {

constexpr compare::Date kToday{2026, 11, 21};

AllowList parsed(std::string_view text) {
    auto list = AllowList::parse(text, "allow.toml", kToday);
    if (!list) FAIL(to_string(list.error()));
    return std::move(*list);
}

std::string error_of(std::string_view text) {
    const auto list = AllowList::parse(text, "allow.toml", kToday);
    REQUIRE_FALSE(list.has_value());
    return to_string(list.error());
}

model::Comparison compare_with(AllowList& list) {
    const model::Report before = committed_report("radv-navi10-mesa-25.0.7");
    model::Report after = before;
    double_alignment(after.devices[0], model::Format::kR8Unorm);
    model::Comparison comparison;
    auto result = compare::compare_documents(loaded(before, "a"), loaded(after, "b"), {.allow_list = &list});
    REQUIRE(result.has_value());
    comparison.documents.push_back(std::move(*result));
    comparison.allow_list = list.notes();
    return comparison;
}

}  // namespace

TEST_CASE("an allowed regression is expected") {
    AllowList list = parsed(R"([[allow]]
path = "/image_sweep/R8_UNORM/**/alignment_bytes"
device = "AMD Radeon*"
driver = "MESA_RADV Mesa 25.*"
reason = "measured and accepted"
link = "https://example.invalid/1"
expires = 2026-11-21
)");
    const auto comparison = compare_with(list);
    CHECK(comparison.allow_list.empty());
    CHECK_FALSE(compare::outcome_of(comparison).fails(true));
    for (const model::SweepChange& change : comparison.documents[0].devices[0].sweeps) {
        CHECK(change.status == model::ChangeStatus::kExpected);
        CHECK(change.reason == "allowed by allow.toml:1: measured and accepted (https://example.invalid/1)");
    }
}

TEST_CASE("from and to narrow an entry to one change") {
    AllowList list = parsed(R"([[allow]]
path = "/image_sweep/R8_UNORM/**/alignment_bytes"
from = 4096
to = "8192"
reason = "half of it"
)");
    const auto comparison = compare_with(list);
    CHECK(compare::outcome_of(comparison).expected != 0);
    CHECK(compare::outcome_of(comparison).fails(false));
}

TEST_CASE("an expired entry allows nothing and an unused one is told; both fail when strict") {
    for (const char* text : {"[[allow]]\npath = \"/image_sweep/**\"\nreason = \"old\"\nexpires = 2026-11-20\n",
                             "[[allow]]\npath = \"/limits/**\"\nreason = \"never\"\n"}) {
        AllowList list = parsed(text);
        const auto comparison = compare_with(list);
        REQUIRE(comparison.allow_list.size() == 1);
        CHECK(comparison.allow_list[0].line == 1);
        CHECK(compare::outcome_of(comparison).fails(false));
    }
    AllowList both = parsed(
        "[[allow]]\npath = \"/image_sweep/**\"\nreason = \"all\"\n"
        "[[allow]]\npath = \"/limits/**\"\nreason = \"never\"\n");
    const auto comparison = compare_with(both);
    CHECK_FALSE(compare::outcome_of(comparison).fails(false));
    CHECK(compare::outcome_of(comparison).fails(true));
    CHECK(comparison.allow_list.at(0).line == 4);
    CHECK(comparison.allow_list[0].statement == "the entry for /limits/** allowed nothing");
}

TEST_CASE("an entry is for the devices and drivers that it names") {
    const model::DeviceIdentity device{.name = "GPU [1]",
                                       .vendor_id = 0x1002,
                                       .device_id = 0x731f,
                                       .driver_id = "MESA_RADV",
                                       .driver_info = "Mesa 25.0.7"};
    const auto accepts = [&](const char* selector) {
        AllowList list = parsed(std::string("[[allow]]\npath = \"/a\"\nreason = \"r\"\n") + selector);
        return list.accept(device, "/a", "1", "2").has_value();
    };
    CHECK(accepts(""));
    CHECK(accepts("device = \"GPU [1]\""));
    CHECK(accepts("device = \"1002:731f\""));
    CHECK(accepts("driver = \"*25.0.7\""));
    CHECK_FALSE(accepts("device = \"1002:7310\""));
    CHECK_FALSE(accepts("driver = \"MESA_RADV\""));
    CHECK_FALSE(accepts("from = 2"));
}

TEST_CASE("a mistake is named with file and line") {
    CHECK(error_of("[[allow]]\npath = \"/a\"\n").starts_with("allow.toml:1: an entry needs a \"reason\""));
    CHECK(error_of("[[allow]]\nreason = \"r\"\n").find("needs a \"path\"") != std::string::npos);
    CHECK(error_of("[[allow]]\npath = \"/a\"\nreason = \"r\"\nexpiry = 3\n").starts_with("allow.toml:4: unknown key"));
    CHECK(error_of("[[allow]]\npath = \"/a\"\nreason = 3\n").starts_with("allow.toml:3: \"reason\" must be a string"));
    CHECK(error_of("[[allow]]\npath = \"/a\"\nreason = \"r\"\nexpires = \"soon\"\n").starts_with("allow.toml:4:"));
    CHECK(error_of("\n[[allow]\n").starts_with("allow.toml:2:"));
    CHECK(error_of("allowed = 1\n").starts_with("allow.toml:1:"));
    CHECK(error_of("[[allow]]\npath = \"a\"\nreason = \"r\"\n").find("must begin with \"/\"") != std::string::npos);
    CHECK_FALSE(compare::parse_date("2027-13-01").has_value());
    CHECK_FALSE(compare::parse_date("2027-1-01").has_value());
    CHECK_FALSE(compare::parse_date("2027-02-31").has_value());
    CHECK_FALSE(compare::parse_date("2027-02-29").has_value());
    CHECK(compare::parse_date("2028-02-29").has_value());
    CHECK(compare::parse_date("2027-01-31").has_value());
}
