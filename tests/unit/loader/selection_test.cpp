// The committed policies through the loader: for their device, another driver version, another device of the family, an
// unknown device, and with damaged files among them.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <filesystem>
#include <thread>

#include "core/file.hpp"
#include "fixture.hpp"
#include "heapwright/model/json.hpp"
#include "test_paths.hpp"

namespace selection_test {

using namespace heapwright;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kPolicies = test::source_path("policies");
constexpr const char* kH100 = "nvidia-h100-580.159.04-vulkan.json";
constexpr const char* kH100OverVkd3d = "nvidia-h100-580.159.04-vkd3d-1.2.json";

}  // namespace

TEST_CASE("every committed policy is found for its own device and driver, and is not changed") {
    const test::Set set(kPolicies);
    CHECK(heapwright_policies_count(set.get()) >= 2);
    CHECK(heapwright_policies_skipped_count(set.get()) == 0);
    std::size_t checked = 0;
    for (const auto& entry : std::filesystem::directory_iterator(kPolicies)) {
        if (entry.path().extension() != ".json") continue;
        const std::string name = entry.path().filename().string();
        INFO(name);
        const auto text = read_file(entry.path());
        REQUIRE(text);
        const auto policy = model::read_policy(*text, name);
        REQUIRE(policy);
        // The report that stands beside it.
        for (const char* report : {kH100, kH100OverVkd3d}) {
            const auto device = test::committed_device(report);
            if (device.identity != policy->devices[0].identity) continue;
            const test::Engine engine(device);
            const test::Selected selected(set.get(), engine.device);
            CHECK(selected.info().match == HEAPWRIGHT_MATCH_EXACT);
            CHECK(selected.info().scaled == 0);
            CHECK(std::string(selected.info().file) == name);
            CHECK_THAT(selected.explanation(), ContainsSubstring("made for this device and this driver version"));
            const auto loaded = model::read_policy(heapwright_policy_document(selected.get()), "document");
            REQUIRE(loaded);
            CHECK(model::write(*loaded) == heapwright_policy_document(selected.get()));
            CHECK(selected.info().bucket_count == policy->devices[0].buckets.size());
            for (std::uint32_t i = 0; i < selected.info().bucket_count; ++i) {
                CHECK(selected.bucket(i).chunk_size_bytes == policy->devices[0].buckets[i].chunk_size_bytes.value);
                CHECK(selected.bucket(i).id == policy->devices[0].buckets[i].id);
            }
            CHECK(selected.heap(0).usable_bytes == policy->devices[0].heaps[0].usable_bytes.value);
            ++checked;
        }
    }
    CHECK(checked >= 2);
}

TEST_CASE("another version of the driver takes the nearest policy of the same device") {
    const auto device = test::committed_device(kH100);
    test::Folder folder;
    folder.copy_committed_policies();
    // The same policy under three versions: 550.54.14, 580.159.4 (the committed one) and 590.48.1.
    const auto text = read_file(kPolicies + "/nvidia-h100-580.159.04-vulkan-general-engine.json");
    REQUIRE(text);
    for (const auto& [name, version] : {std::pair{"nvidia-550.json", 550u << 22 | 54u << 14 | 14u << 6},
                                        {"nvidia-590.json", 590u << 22 | 48u << 14 | 1u << 6}}) {
        auto policy = model::read_policy(*text, name);
        REQUIRE(policy);
        policy->devices[0].identity.driver_version = version;
        folder.write(name, model::write(*policy));
    }
    const test::Set set(folder.path());
    test::Engine engine(device);
    const auto picked = [&](std::uint32_t version) {
        engine.device.driver_version = version;
        const test::Selected selected(set.get(), engine.device);
        return std::pair{selected.info().match, std::string(selected.info().file)};
    };
    const auto committed = std::string("nvidia-h100-580.159.04-vulkan-general-engine.json");
    CHECK(picked(device.identity.driver_version) == std::pair{std::uint32_t{HEAPWRIGHT_MATCH_EXACT}, committed});
    CHECK(picked(580u << 22 | 200u << 14) == std::pair{std::uint32_t{HEAPWRIGHT_MATCH_DRIVER}, committed});
    CHECK(picked(545u << 22) == std::pair{std::uint32_t{HEAPWRIGHT_MATCH_DRIVER}, std::string("nvidia-550.json")});
    CHECK(picked(595u << 22) == std::pair{std::uint32_t{HEAPWRIGHT_MATCH_DRIVER}, std::string("nvidia-590.json")});
    // As far from 580.159.4 as from 590.48.1 in the first part: the older of the two.
    CHECK(picked(585u << 22).first == HEAPWRIGHT_MATCH_DRIVER);

    engine.device.driver_version = 580u << 22 | 200u << 14;
    const test::Selected selected(set.get(), engine.device);
    CHECK_THAT(selected.explanation(), ContainsSubstring("driver 580.159.4.0 instead of 580.200.0.0"));
    CHECK_THAT(selected.explanation(), ContainsSubstring("not nvidia-550.json: fits less well"));
    CHECK_THAT(selected.explanation(),
               ContainsSubstring("not nvidia-h100-580.159.04-vkd3d-1.2-general-engine.json: for "
                                 "the other API"));
    // The document is one for the running driver, so that a strict reader takes it for this device.
    const auto document = model::read_policy(heapwright_policy_document(selected.get()), "document");
    REQUIRE(document);
    CHECK(document->devices[0].identity.driver_version == engine.device.driver_version);
}

TEST_CASE("a policy serves whatever workload it carries, and nothing of that is kept") {
    const auto text = read_file(kPolicies + "/nvidia-h100-580.159.04-vulkan-general-engine.json");
    REQUIRE(text);
    auto policy = model::read_policy(*text, "committed");
    REQUIRE(policy);
    policy->workload.reset();
    const std::string without = model::write(*policy);
    for (const std::size_t hints : {std::size_t{1}, std::size_t{3000}}) {
        policy->workload =
            model::Workload{.name = "my-game", .images = std::vector<model::ImageHint>(hints, {.extents = {{64, 64}}})};
        policy->workload->description.assign(hints * 8000, 'x');
        test::Folder folder;
        folder.write("carries.json", model::write(*policy));
        const test::Set set(folder.path());
        REQUIRE(heapwright_policies_count(set.get()) == 1);
        const test::Engine engine(test::committed_device(kH100));
        const test::Selected selected(set.get(), engine.device);
        CHECK(selected.info().match == HEAPWRIGHT_MATCH_EXACT);
        auto loaded = model::read_policy(heapwright_policy_document(selected.get()), "document");
        REQUIRE(loaded);
        loaded->run = policy->run;
        CHECK(model::write(*loaded) == without);
    }
}

TEST_CASE("of policies that fit alike, the one for the engine's workload is taken") {
    const auto text = read_file(kPolicies + "/nvidia-h100-580.159.04-vulkan-general-engine.json");
    REQUIRE(text);
    test::Folder folder;
    folder.copy_committed_policies();
    auto policy = model::read_policy(*text, "committed");
    REQUIRE(policy);
    policy->workload_name = "2d-ui";
    folder.write("zz-2d-ui.json", model::write(*policy));
    const test::Set set(folder.path());
    const test::Engine engine(test::committed_device(kH100));
    const auto ui = test::fallback("2d-ui");
    CHECK(std::string(test::Selected(set.get(), engine.device, &ui).info().file) == "zz-2d-ui.json");
    const auto general = test::fallback("general-engine");
    CHECK(std::string(test::Selected(set.get(), engine.device, &general).info().file) ==
          "nvidia-h100-580.159.04-vulkan-general-engine.json");
    CHECK(test::Selected(set.get(), engine.device).info().match == HEAPWRIGHT_MATCH_EXACT);
}

TEST_CASE("another device of the vendor takes a policy only where the memory types are the same") {
    const test::Set set(kPolicies);
    auto device = test::committed_device(kH100);
    device.identity.device_id = 0x2684;
    device.identity.name = "NVIDIA GeForce RTX 4090";
    device.heaps[0].size_bytes = 24ull << 30;
    {
        const test::Engine engine(device);
        const test::Selected selected(set.get(), engine.device);
        CHECK(selected.info().match == HEAPWRIGHT_MATCH_FAMILY);
        CHECK(selected.info().scaled == 1);
        CHECK_THAT(selected.explanation(),
                   ContainsSubstring("a device of the same vendor and driver with the same memory"));
        // The same share of 24 GiB as of the H100's budget.
        CHECK(selected.heap(0).usable_bytes > (24ull << 30) / 10 * 8);
        CHECK(selected.heap(0).usable_bytes < (24ull << 30) / 10 * 9 + 1024);
    }
    device.memory_types[1].property_flags = model::memory_property::kDeviceLocal | model::memory_property::kHostVisible;
    const test::Engine engine(device);
    heapwright_policy* none = nullptr;
    heapwright_message message{};
    CHECK(heapwright_policy_select(set.get(), &engine.device, nullptr, &none, &message) == HEAPWRIGHT_NO_POLICY);
    CHECK(none == nullptr);
    CHECK_THAT(std::string(message.text), ContainsSubstring("its memory type 1 is DEVICE_LOCAL on heap 0, here it is "
                                                            "DEVICE_LOCAL|HOST_VISIBLE on heap 0"));
}

TEST_CASE("memory types are compared by their bits, whether this build has a name for a bit or not") {
    const auto text = read_file(kPolicies + "/nvidia-h100-580.159.04-vulkan-general-engine.json");
    REQUIRE(text);
    auto policy = model::read_policy(*text, "committed");
    REQUIRE(policy);
    auto device = test::committed_device(kH100);
    const std::uint32_t type = policy->devices[0].memory_uses[0].memory_types.value.at(0);
    constexpr model::Flags kUnnamed = 1u << 30;
    policy->devices[0].memory_types[type].property_flags |= kUnnamed;
    std::string stored = model::write(*policy);
    REQUIRE(stored.find("\"BIT_30\"") != std::string::npos);
    // A tool that has no name for the first bit would have written this.
    const std::size_t types = stored.find("\"memory_types\": [");
    stored.replace(stored.find("\"DEVICE_LOCAL\"", types), 14, "\"BIT_0\"");
    test::Folder folder;
    folder.write("numbers.json", stored);
    const test::Set set(folder.path());
    REQUIRE(heapwright_policies_count(set.get()) == 1);
    {
        const test::Engine without(device);
        heapwright_policy* none = nullptr;
        heapwright_message message{};
        CHECK(heapwright_policy_select(set.get(), &without.device, nullptr, &none, &message) == HEAPWRIGHT_NO_POLICY);
        CHECK_THAT(std::string(message.text), ContainsSubstring("is DEVICE_LOCAL|BIT_30 on heap 0, here it is "
                                                                "DEVICE_LOCAL on heap 0"));
    }
    device.memory_types[type].property_flags |= kUnnamed;
    const test::Engine with(device);
    const test::Selected selected(set.get(), with.device);
    CHECK(selected.info().match == HEAPWRIGHT_MATCH_EXACT);
    CHECK(selected.heap(0).base_bytes == policy->devices[0].heaps[0].base_bytes);
}

TEST_CASE("a policy of an earlier schema version is skipped, and the skip says what mends it") {
    const auto text = read_file(kPolicies + "/nvidia-h100-580.159.04-vulkan-general-engine.json");
    REQUIRE(text);
    std::string old = *text;
    const std::string first = "urn:heapwright:schema:policy:1";
    old.replace(old.find("urn:heapwright:schema:policy:2"), first.size(), first);
    test::Folder folder;
    folder.write("old.json", old);
    const test::Set set(folder.path());
    CHECK(heapwright_policies_count(set.get()) == 0);
    REQUIRE(heapwright_policies_skipped_count(set.get()) == 1);
    CHECK_THAT(heapwright_policies_skipped(set.get(), 0),
               ContainsSubstring("old.json: /$schema: a policy of schema version 1, this heapwright reads version 2; "
                                 "make it anew from its report: heapwright advise REPORT"));
}

TEST_CASE("a device of the family keeps its own memory types in the document") {
    const test::Set set(kPolicies);
    auto device = test::committed_device(kH100);
    device.identity.device_id = 0x2684;
    device.memory_types.push_back({.heap_index = 1, .property_flags = model::memory_property::kHostVisible});
    const test::Engine engine(device);
    const test::Selected selected(set.get(), engine.device);
    REQUIRE(selected.info().match == HEAPWRIGHT_MATCH_FAMILY);
    const auto document = model::read_policy(heapwright_policy_document(selected.get()), "document");
    REQUIRE(document);
    REQUIRE(document->devices[0].memory_types.size() == device.memory_types.size());
    CHECK(document->devices[0].memory_types.back().property_flags == model::memory_property::kHostVisible);
}

TEST_CASE("an unknown device gets a policy that is computed for it") {
    const test::Set set(kPolicies);
    const auto device = test::committed_device("radv-navi10-mesa-25.0.7.json");
    const test::Engine engine(device);
    const auto request = test::fallback("2d-ui");
    const test::Selected selected(set.get(), engine.device, &request);
    CHECK(selected.info().match == HEAPWRIGHT_MATCH_COMPUTED);
    CHECK(selected.info().file == nullptr);
    CHECK(selected.info().bucket_count > 0);
    CHECK_THAT(selected.explanation(),
               ContainsSubstring("computed for the workload 2d-ui from the heaps, memory types"));
    CHECK_THAT(selected.explanation(), ContainsSubstring("for vendor 0x10de, not 0x1002"));
    const std::uint32_t* types = nullptr;
    std::uint32_t count = 0;
    REQUIRE(heapwright_policy_get_memory_types(selected.get(), HEAPWRIGHT_USE_DEVICE_ONLY, &types, &count) ==
            HEAPWRIGHT_OK);
    REQUIRE(count > 0);
    CHECK((engine.memory_types[types[0]].property_flags & model::memory_property::kDeviceLocal) != 0);
    // The document reads back, and is for this device.
    const auto document = model::read_policy(heapwright_policy_document(selected.get()), "document");
    REQUIRE(document);
    CHECK(document->devices[0].identity.vendor_id == 0x1002);

    heapwright_policy* none = nullptr;
    CHECK(heapwright_policy_select(set.get(), &engine.device, nullptr, &none, nullptr) == HEAPWRIGHT_NO_POLICY);
}

TEST_CASE("a report of the device makes the computed policy an exact one") {
    const std::string file = test::source_path("reports/anv-kbl-mesa-25.0.7.json");
    const test::Engine engine(test::committed_device("anv-kbl-mesa-25.0.7.json"));
    const auto request = test::fallback("2d-ui", file.c_str());
    const test::Selected selected(nullptr, engine.device, &request);
    CHECK(selected.info().match == HEAPWRIGHT_MATCH_COMPUTED);
    CHECK_THAT(selected.explanation(), ContainsSubstring("from the report"));
    CHECK(selected.explanation().find("the report is an import") == std::string::npos);

    // Somebody else's report is none of this device.
    const test::Engine other(test::committed_device(kH100));
    heapwright_policy* none = nullptr;
    heapwright_message message{};
    CHECK(heapwright_policy_select(nullptr, &other.device, &request, &none, &message) == HEAPWRIGHT_NO_POLICY);
    CHECK_THAT(std::string(message.text), ContainsSubstring("holds no device 10de:2330"));
    const auto unknown = test::fallback("no-such-workload");
    CHECK(heapwright_policy_select(nullptr, &other.device, &unknown, &none, &message) == HEAPWRIGHT_INVALID_ARGUMENT);
}

TEST_CASE("damaged files among the policies are skipped and named, and the others serve") {
    test::Folder folder;
    folder.copy_committed_policies();
    const auto text = read_file(kPolicies + "/nvidia-h100-580.159.04-vulkan-general-engine.json");
    REQUIRE(text);
    folder.write("cut.json", text->substr(0, text->size() / 2));
    folder.write("empty.json", "");
    folder.write("noise.json", std::string("\x00\xff\x80{[", 5));
    folder.write("readme.txt", "no policy, and not named so");
    std::string future = *text;
    future.replace(future.find("\"schema_version\": 2"), 19, "\"schema_version\": 9");
    folder.write("too-new.json", future);
    std::string wrong = *text;
    wrong.replace(wrong.find("\"size_bytes\": 85520809984"), 25, "\"size_bytes\": \"no number\"");
    folder.write("wrong-type.json", wrong);
    std::filesystem::copy(test::source_path("policies/presets/2d-ui.json"), folder.path() + "/a-workload.json");
    std::filesystem::create_directory(folder.path() + "/folder.json");
    std::error_code code;
    std::filesystem::create_symlink(folder.path() + "/nowhere", folder.path() + "/dangling.json", code);
    REQUIRE_FALSE(code);

    const test::Set set(folder.path());
    std::string skipped;
    for (std::size_t i = 0; i < heapwright_policies_skipped_count(set.get()); ++i) {
        skipped += std::string(heapwright_policies_skipped(set.get(), i)) + "\n";
    }
    INFO(skipped);
    CHECK(heapwright_policies_skipped_count(set.get()) == 7);
    for (const char* name : {"cut.json", "empty.json", "noise.json", "too-new.json", "wrong-type.json",
                             "a-workload.json", "dangling.json"}) {
        CHECK_THAT(skipped, ContainsSubstring(std::string(name) + ": "));
    }
    CHECK(heapwright_policies_skipped(set.get(), 7) == nullptr);
    const test::Engine engine(test::committed_device(kH100));
    const test::Selected selected(set.get(), engine.device);
    CHECK(selected.info().match == HEAPWRIGHT_MATCH_EXACT);
    CHECK_THAT(selected.explanation(), ContainsSubstring("skipped cut.json: "));
}

TEST_CASE("many threads select from one set at the same time") {
    const test::Set set(kPolicies);
    const test::Engine engine(test::committed_device(kH100));
    std::vector<std::thread> threads;
    std::vector<int> exact(4, 0);
    for (std::size_t t = 0; t < exact.size(); ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 20; ++i) {
                heapwright_policy* policy = nullptr;
                if (heapwright_policy_select(set.get(), &engine.device, nullptr, &policy, nullptr) != HEAPWRIGHT_OK)
                    continue;
                heapwright_policy_info info{};
                info.struct_size = sizeof(info);
                if (heapwright_policy_get_info(policy, &info) == HEAPWRIGHT_OK &&
                    info.match == HEAPWRIGHT_MATCH_EXACT) {
                    ++exact[t];
                }
                heapwright_policy_free(policy);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (const int count : exact) CHECK(count == 20);
}

}  // namespace selection_test
