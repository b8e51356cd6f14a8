// A what-if reads back as it was written, and what its shape cannot say is refused in words.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <functional>

#include "example.hpp"
#include "heapwright/model/json.hpp"
#include "model/printable.hpp"

namespace what_if_test {

using namespace heapwright;
using namespace heapwright::model;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string refusal_of(const std::function<void(WhatIf&)>& change) {
    WhatIf what_if = example::what_if();
    change(what_if);
    const auto read = read_what_if(write(what_if), "w");
    return read ? std::string() : to_string(read.error());
}

}  // namespace

TEST_CASE("a what-if reads back as it was written") {
    const std::string text = write(example::what_if());
    CHECK(document_kind(text, "w").value() == DocumentKind::kWhatIf);
    const auto read = read_what_if(text, "w");
    REQUIRE(read);
    CHECK(write(*read) == text);
    CHECK(read->rows.at(3).is_real);
    CHECK(read->rows.at(2).not_played == "needs a report through Direct3D 12");
    CHECK(read->curves.at(0).points.at(2).cells.at(0).value == 3.0 * (1 << 30));
    CHECK(volatile_paths(DocumentKind::kWhatIf) == std::vector<std::string_view>{"/volatile"});
}

TEST_CASE("a what-if without rows, or with rows that lack figures, is one") {
    CHECK(refusal_of([](WhatIf& what_if) { what_if.rows.clear(); }).empty());
    CHECK(
        refusal_of([](WhatIf& what_if) { what_if.rows.at(0).cells.erase(what_if.rows.at(0).cells.begin()); }).empty());
}

TEST_CASE("what contradicts itself in a what-if is refused, with its place") {
    CHECK_THAT(refusal_of([](WhatIf& what_if) { std::swap(what_if.rows[0].cells[1], what_if.rows[0].cells[2]); }),
               ContainsSubstring("/rows/0/cells/2/column") && ContainsSubstring("mean_waste"));
    CHECK_THAT(refusal_of([](WhatIf& what_if) { what_if.rows[1].cells[1] = what_if.rows[1].cells[0]; }),
               ContainsSubstring("/rows/1/cells/1/column"));
    CHECK_THAT(refusal_of([](WhatIf& what_if) { what_if.rows[1].not_played = "a reason"; }),
               ContainsSubstring("/rows/1/cells"));
    CHECK_THAT(refusal_of([](WhatIf& what_if) { what_if.rows[1].cells[0].most_difference = 0; }),
               ContainsSubstring("/rows/1/cells/0/least_difference"));
    CHECK_THAT(refusal_of([](WhatIf& what_if) { what_if.curves[0].points[2].size_bytes = 1 << 20; }),
               ContainsSubstring("/curves/0/points/2/size_bytes") && ContainsSubstring("ascend"));
    CHECK_THAT(refusal_of([](WhatIf& what_if) { what_if.rows[0].name.clear(); }), ContainsSubstring("/rows/0/name"));
}

TEST_CASE("every text of a what-if is made printable") {
    WhatIf what_if = example::what_if();
    what_if.rows[0].name = "a\x1b[2J\nb";
    what_if.notes = "a\nb";
    what_if.curves[0].points[0].not_played = "\r";
    const WhatIf shown = printable(what_if);
    CHECK(shown.rows[0].name == "a\\x1b[2J\\nb");
    CHECK(model::text_of(shown.notes) == "a\\nb");
    CHECK(shown.curves[0].points[0].not_played == "\\r");
}

}  // namespace what_if_test
