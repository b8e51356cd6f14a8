#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <sstream>

#include "cited_inputs.hpp"
#include "model/decisions.hpp"
#include "policy/advise.hpp"
#include "render/explain.hpp"
#include "render/overview.hpp"
#include "says.hpp"
#include "synthetic_device.hpp"

using namespace heapwright;

namespace {

model::Policy example() {
    auto device_policy = policy::advise(test::radv_like_device(), test::small_workload());
    REQUIRE(device_policy);
    model::Policy policy;
    policy.workload_name = "small";
    policy.devices.push_back(std::move(*device_policy));
    return policy;
}

// Lines are wrapped: without what wrapping adds.
std::string unwrapped(const std::string& text) {
    std::string out;
    for (const char letter : text) {
        const bool is_space = letter == ' ' || letter == '\n';
        if (!is_space || (!out.empty() && out.back() != ' ')) out += is_space ? ' ' : letter;
    }
    return out;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream lines(text);
    std::vector<std::string> all;
    for (std::string line; std::getline(lines, line);) all.push_back(line);
    return all;
}

}  // namespace

TEST_CASE("an explanation holds every reason, input and rejected alternative of the policy") {
    const model::Policy policy = example();
    const model::DevicePolicy& device = policy.devices.front();
    const std::string text = unwrapped(render::explain(policy, {.all = true}).text);
    const auto holds = [&text](const std::string& part) { return text.find(unwrapped(part)) != std::string::npos; };
    CHECK(holds("Synthetic RX"));
    const auto check = [&](const model::Statement& statement) {
        for (const model::Claim& claim : statement.claims()) {
            INFO(model::text_of(claim));
            CHECK(holds(model::text_of(claim)));
        }
    };
    for (const test::NamedDecision& decision : test::all_decisions(device)) {
        INFO(decision.name);
        check(decision.why.reason);
        for (const auto& input : decision.why.inputs) CHECK(holds(input.path + " " + model::text_of(input.value)));
        for (const auto& other : decision.why.alternatives)
            CHECK(holds(model::text_of(other.value) + " " + model::text_of(other.reason)));
    }
    for (const auto& use : device.memory_uses) {
        for (const auto& excluded : use.excluded) CHECK(holds(model::text_of(excluded.reason)));
    }
    check(device.warnings);
    check(device.assumed);
}

TEST_CASE("unless more is asked for, every number is told with its value and its claim, in units for people") {
    const model::Policy policy = example();
    const render::Explained explained = render::explain(policy);
    const std::size_t numbers = test::all_decisions(policy.devices.front()).size();
    CHECK(explained.numbers == numbers);
    const std::vector<std::string> lines = lines_of(explained.text);
    CHECK(lines.size() >= 2 * numbers);
    for (const std::string& line : lines) {
        INFO(line);
        CHECK(line.size() <= render::kScreenColumns);
    }
    CHECK(explained.text.find("  report") == std::string::npos);
}

TEST_CASE("every number that is asked for alone is told on one screen, with its inputs and losers, and no other is") {
    const model::Policy policy = example();
    for (const model::ListedDecision& decision : model::list_decisions(policy.devices.front())) {
        INFO(decision.path);
        const render::Explained alone = render::explain(policy, {.why = decision.path});
        CHECK(alone.numbers >= 1);
        CHECK(lines_of(alone.text).size() <= render::kScreenLines);
    }
    // What the short screen calls a number finds it.
    const render::Explained screen = render::explain(policy, {.main = true});
    CHECK(screen.numbers >= 5);
    std::size_t found = 0;
    for (const std::string& line : lines_of(screen.text)) {
        const std::size_t colon = line.rfind(": ");
        if (colon == std::string::npos || line.starts_with(' ') || line.find("--why") != std::string::npos) continue;
        INFO(line);
        // The number itself, not another that has the same words.
        const std::vector<std::string> told = lines_of(render::explain(policy, {.why = line.substr(0, colon)}).text);
        REQUIRE(told.size() > 1);
        CHECK(told[1] == line);
        ++found;
    }
    CHECK(found == screen.numbers);
    const render::Explained explained = render::explain(policy, {.why = "chunk_size"});
    CHECK(explained.numbers > 1);
    CHECK(explained.text.find(": chunk size: ") != std::string::npos);
    CHECK(explained.text.find("\nFrom\n") != std::string::npos);
    CHECK(explained.text.find("\nRejected\n") != std::string::npos);
    CHECK(explained.text.find("ring") == std::string::npos);
    CHECK(render::explain(policy, {.why = "no such number"}).numbers == 0);
}
