// Every member of every document says in its schema what it is, in words that are more than its key.
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/model/json.hpp"

namespace description_test {

using namespace heapwright::model;
using Json = nlohmann::json;

namespace {

// Structs whose members have no descriptions yet. The list only shrinks: a struct that has them all leaves it.
constexpr std::array<std::string_view, 4> kUndescribed{"decision", "decision_input", "alternative",
                                                       "excluded_memory_type"};

struct Member {
    std::string schema;
    std::string owner;  // the struct: the document's or a definition's name, "decision" for a decided value
    std::string key;
    std::string description;
};

bool is_decided(const Json& node) {
    return node.at("properties").contains("value") && node.at("properties").contains("reason");
}

void add_members(const std::string& schema, const std::string& owner, const Json& node, std::vector<Member>& found) {
    if (!node.contains("properties")) return;
    for (const auto& [key, member] : node.at("properties").items()) {
        found.push_back({schema, owner, key, member.value("description", "")});
        if (!member.contains("properties")) continue;
        add_members(schema, is_decided(member) ? "decision" : owner + "." + key, member, found);
    }
}

std::vector<Member> all_members() {
    std::vector<Member> found;
    for (const std::string_view name : schema_names()) {
        const Json document = Json::parse(schema(name).value());
        add_members(std::string(name), std::string(name), document, found);
        for (const auto& [definition, node] : document.at("definitions").items())
            add_members(std::string(name), definition, node, found);
    }
    return found;
}

// "size_bytes" and "Size, bytes" are alike.
std::string letters_of(std::string_view text) {
    std::string letters;
    for (const char c : text) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
            letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return letters;
}

}  // namespace

TEST_CASE("Every member of every schema has a description") {
    std::set<std::string> lacking;
    std::size_t described = 0;
    for (const Member& member : all_members()) {
        CAPTURE(member.schema, member.owner, member.key);
        if (!member.description.empty()) {
            ++described;
            continue;
        }
        if (std::ranges::find(kUndescribed, member.owner) == kUndescribed.end())
            FAIL_CHECK("no description: .says(...) in its row of src/model/detail/fields_*.hpp gives it one");
        lacking.insert(member.owner);
    }
    CHECK(described > 800);
    for (const std::string_view owner : kUndescribed) {
        INFO(owner << " has its descriptions: take it off the list");
        CHECK(lacking.contains(std::string(owner)));
    }
}

TEST_CASE("A description says more than the key, on one line and without a stop at its end") {
    for (const Member& member : all_members()) {
        if (member.description.empty()) continue;
        CAPTURE(member.schema, member.owner, member.key, member.description);
        CHECK(letters_of(member.description) != letters_of(member.key));
        CHECK(!member.description.ends_with('.'));
        CHECK(!member.description.starts_with(' '));
        CHECK(member.description.find('\n') == std::string::npos);
        CHECK(member.description.size() <= 320);
    }
}

TEST_CASE("Every schema says what its document is for") {
    for (const std::string_view name : schema_names()) {
        CAPTURE(name);
        CHECK(Json::parse(schema(name).value()).value("description", "").size() > 40);
    }
}

}  // namespace description_test
