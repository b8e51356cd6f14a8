// The allow-list: what it accepts, what it says of entries that are stale, and where a mistake stands.
#include "compare/allow_list.hpp"

#include <catch2/catch_test_macros.hpp>

#include "committed.hpp"
#include "compare/compare.hpp"

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

TEST_CASE("characters beyond ASCII stand within quotation marks and in comments alone") {
    struct Refused {
        const char* text;
        const char* where;
    };
    const std::string head = "[[allow]]\npath = \"/a\"\n";
    // U+0499, U+00E9, U+4E2D, U+1F600; U+00A0, U+3000 and U+2028, which are blanks and an end of a line elsewhere.
    for (const Refused& each : {Refused{"reas\u0499n = \"r\"", "3:5"},
                                {"\u0499 = \"r\"", "3:1"},
                                {"re\u00e9son = \"r\"", "3:3"},
                                {"\u4e2d\u6587 = 1", "3:1"},
                                {"\U0001f600 = 1", "3:1"},
                                {"a.re\u0499 = 1", "3:5"},
                                {"a.\u0499 = 1", "3:3"},
                                {"[all\u0499w]", "3:5"},
                                {"[[\u0499]]", "3:3"},
                                {"from = 1\u0499", "3:9"},
                                {"from = 1 \u0499", "3:10"},
                                {"from = \u0499", "3:8"},
                                {"reason = \"r\"\u0499", "3:13"},
                                {"a\u00a0= 1", "3:2"},
                                {"a\u3000= 1", "3:2"},
                                {"from = 1\u2028to = 2", "3:9"},
                                {"from = \"\"\"\\\u0499\"\"\"", "3:12"}}) {
        INFO(each.text);
        const std::string error = error_of(head + each.text + "\n");
        CHECK(error.starts_with(std::string("allow.toml:") + each.where));
        CHECK(error.find("; characters beyond ASCII are allowed within quotation marks and in comments alone") !=
              std::string::npos);
    }
    for (const char* reason : {R"("ҙ 中")", R"('ҙ')", "\"\"\"ҙ\né\"\"\"", "'''ҙ\né'''", "\"\"\"\\\n  ҙ\"\"\"",
                               R"("r" # ҙ)", R"("\u0499")"}) {
        INFO(reason);
        CHECK(AllowList::parse("# ҙ\n[[\"allow\"]]\n\"path\" = \"/a\"\nreason = " + std::string(reason), "a", kToday));
    }
    AllowList list = parsed(head + "reason = \"\"\"one \\\n  ҙ\"\"\"\n");
    CHECK(list.accept({}, "/a", "", "") == "allowed by allow.toml:1: one ҙ");
}

TEST_CASE("an allow-list that is no UTF-8 is refused, wherever the bytes stand") {
    for (const char* text : {"re\xc3 = 1\n", "a = \"\xc3\"\n", "# \xff\n", "a = '''\xe4\xb8'''\n", "\xd2[[allow]]\n"}) {
        const std::string error = error_of(text);
        CHECK(error.starts_with("allow.toml:1:"));
        CHECK(error.find("an allow-list is UTF-8") != std::string::npos);
    }
}
