// What each target gives for the committed policies and for a synthetic one, whole. HEAPWRIGHT_UPDATE_GOLDEN=1 writes
// the golden files anew; that is due when a policy is made anew, or when an exporter changes.
#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cstdlib>

#include "core/file.hpp"
#include "example.hpp"
#include "export/export.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright_generated/version.hpp"
#include "test_paths.hpp"

using namespace heapwright;

namespace {

// Short, so that a golden file's name tells policy and target.
struct Input {
    std::string_view name;
    std::string_view file;
};
constexpr std::array kInputs{Input{"h100-vulkan", "nvidia-h100-580.159.04-vulkan-general-engine.json"},
                             Input{"h100-vkd3d", "nvidia-h100-580.159.04-vkd3d-1.2-general-engine.json"}};

void replace(std::string& text, std::string_view what, std::string_view by) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
        text.replace(at, what.size(), by);
    }
}

// Without what says nothing of the exporter: this program's version.
std::string golden_text(std::string text) {
    replace(text, std::string("heapwright ") + kVersion, "heapwright VERSION");
    return text;
}

void compare(const model::Policy& policy, std::string_view name) {
    const bool update = std::getenv("HEAPWRIGHT_UPDATE_GOLDEN") != nullptr;
    for (const auto& target : exporting::targets()) {
        if (target.api && *target.api != policy.devices[0].identity.api) continue;
        const auto exported = exporting::export_policy(policy, 0, target.name);
        REQUIRE(exported);
        const std::string path =
            test::source_path("tests/golden/export/") + std::string(name) + "." + std::string(target.name) + ".txt";
        INFO(path << " (HEAPWRIGHT_UPDATE_GOLDEN=1 writes it anew)");
        const std::string text = golden_text(exported->text);
        if (update) REQUIRE(write_file_atomically(path, text));
        const auto golden = read_file(path);
        REQUIRE(golden);
        CHECK(text == *golden);
    }
}

}  // namespace

TEST_CASE("every target gives its golden file for the committed policies") {
    for (const Input& input : kInputs) {
        const std::string file = test::source_path("policies/") + std::string(input.file);
        const auto source = read_file(file);
        REQUIRE(source);
        const auto policy = model::read_policy(*source, file);
        if (!policy) FAIL(to_string(policy.error()));
        compare(*policy, input.name);
    }
}

TEST_CASE("every target gives its golden file for a policy that has every value") {
    model::Policy policy = model::example::policy();
    policy.devices[0].identity.api = model::Api::kVulkan;
    compare(policy, "example-vulkan");
    policy.devices[0].identity.api = model::Api::kD3d12;
    compare(policy, "example-d3d12");
}
