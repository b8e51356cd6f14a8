// The scenarios of descriptors, lifetimes and uploads without a GPU, and what must make them fail.
#include <algorithm>
#include <mutex>
#include <regex>
#include <thread>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "heapwright/replay/device.hpp"
#include "heapwright/validate/binding_scenario.hpp"
#include "late_devices.hpp"
#include "replay_scene.hpp"

using namespace heapwright;

namespace {

validate::ValidateOptions quick() {
    validate::ValidateOptions options;
    options.seed = 3;
    options.memory_limit_bytes = 512 * test::kMib;
    options.extra_frames_ns = 0;
    return options;
}

std::string words(const model::ScenarioResult& result) {
    std::string text = result.name + ": " + result.reason;
    for (std::size_t i = 0; i < std::min<std::size_t>(result.findings.size(), 4); ++i)
        text += "\n  " + result.findings[i].resource + ": " + result.findings[i].statement;
    return text;
}

model::ScenarioResult run(device::Device& device, std::string_view name, const validate::ValidateOptions& options,
                          const model::DevicePolicy& policy = test::scene_policy()) {
    const auto scenario = std::ranges::find(validate::kBindingScenarios, name, &validate::BindingScenario::name);
    auto result = validate::run_binding_scenario(*scenario, device, policy, options);
    if (!result) FAIL(to_string(result.error()));
    return *result;
}

// How many findings of this fault match, the object's number first. All of the fault name their frame and list.
std::size_t named(const model::ScenarioResult& result, model::Fault fault, const std::string& wording) {
    const std::regex place("frame [0-9]+, (before )?command list [0-9]+: ");
    const std::regex wanted(wording);
    std::size_t count = 0;
    for (const model::ValidationFinding& finding : result.findings) {
        if (finding.fault != fault) continue;
        INFO(finding.resource << ": " << finding.statement);
        CHECK(std::regex_search(finding.resource, std::regex("^(dynamic )?descriptor [0-9]+")));
        CHECK(std::regex_search(finding.statement, place));
        if (std::regex_search(finding.resource + ": " + finding.statement, wanted)) ++count;
    }
    return count;
}

// Hands chunks to two contexts, which record on threads of their own.
class TwiceHandedHeap final : public frame::GPUDescriptorHeap {
public:
    static Result<std::unique_ptr<GPUDescriptorHeap>> make(device::DescriptorHeapSource& source,
                                                           const frame::FrameClock& clock,
                                                           const frame::VisibleHeapLayout& layout) {
        HEAPWRIGHT_ASSIGN(const auto heap,
                          source.create({.kind = layout.kind, .capacity = layout.capacity, .shader_visible = true}));
        std::unique_ptr<TwiceHandedHeap> made(new TwiceHandedHeap(source, clock, layout, heap));
        HEAPWRIGHT_TRY(made->make_parts());
        return made;
    }

    Result<frame::DescriptorHeapAllocation> allocate_dynamic(std::uint32_t count) override {
        const std::lock_guard lock(mutex_);
        const std::thread::id thread = std::this_thread::get_id();
        if (last_ && last_->count == count && last_thread_ != thread) {
            const frame::DescriptorRange range = *last_;
            last_.reset();
            return frame::DescriptorHeapAllocation(nullptr, facts_, range);
        }
        auto made = GPUDescriptorHeap::allocate_dynamic(count);
        if (made) last_ = frame::DescriptorRange{.first = made->first_index(), .count = made->count()};
        last_thread_ = thread;
        return made;
    }
    std::uint64_t take_chunks_ahead(std::uint32_t, std::vector<frame::DescriptorHeapAllocation>&) override { return 0; }

private:
    using GPUDescriptorHeap::GPUDescriptorHeap;
    frame::DescriptorHeapFacts facts_{};
    std::mutex mutex_;
    std::optional<frame::DescriptorRange> last_;
    std::thread::id last_thread_;
};

// Takes dynamic chunks from the whole heap instead of the dynamic part.
class NoBoundaryHeap final : public frame::GPUDescriptorHeap {
public:
    static Result<std::unique_ptr<GPUDescriptorHeap>> make(device::DescriptorHeapSource& source,
                                                           const frame::FrameClock& clock,
                                                           const frame::VisibleHeapLayout& layout) {
        HEAPWRIGHT_ASSIGN(const auto heap,
                          source.create({.kind = layout.kind, .capacity = layout.capacity, .shader_visible = true}));
        std::unique_ptr<NoBoundaryHeap> made(new NoBoundaryHeap(source, clock, layout, heap));
        HEAPWRIGHT_TRY(made->make_parts());
        HEAPWRIGHT_ASSIGN(made->whole_, frame::DescriptorHeapAllocationManager::create_in(
                                            source, heap, 0, layout.capacity,
                                            {.manager_id = kDynamicManager, .chunk = layout.dynamic_chunk}));
        return made;
    }

    Result<frame::DescriptorHeapAllocation> allocate_dynamic(std::uint32_t count) override {
        const std::lock_guard lock(mutex_);
        const auto range = whole_->allocate(count);
        if (!range) return fail(ErrorCode::kExhausted, "the whole heap is in use");
        return frame::DescriptorHeapAllocation(nullptr, facts_, *range);
    }
    std::uint64_t take_chunks_ahead(std::uint32_t, std::vector<frame::DescriptorHeapAllocation>&) override { return 0; }

private:
    using GPUDescriptorHeap::GPUDescriptorHeap;
    frame::DescriptorHeapFacts facts_{};
    std::mutex mutex_;
    std::unique_ptr<frame::DescriptorHeapAllocationManager> whole_;
};

}  // namespace

TEST_CASE("every scenario of descriptors passes on a replayed device, however late it is") {
    const auto mode =
        GENERATE(replay::ReplayMode::kImmediate, replay::ReplayMode::kDeferred, replay::ReplayMode::kManual);
    for (const validate::BindingScenario& scenario : validate::kBindingScenarios) {
        const auto device = replay::open_replay(test::scene_report(), {.interpolate = true, .mode = mode, .seed = 11});
        REQUIRE(device);
        const model::ScenarioResult result = run(**device, scenario.name, quick());
        INFO(words(result));
        CHECK(result.verdict == model::Verdict::kReplayed);
        CHECK(result.findings_total == 0);
        REQUIRE(result.bindings);
        CHECK(result.bindings->bytes_checked > 0);
        CHECK(result.bindings->frames > 0);
        CHECK(result.bindings->descriptor_form == "shadow");
        const replay::ReplayCounters left = (*device)->counters();
        CHECK(left.heaps == 0);
        CHECK(left.resources == 0);
        CHECK(left.timelines == 0);
        CHECK(left.descriptor_heaps == 0);
        CHECK(left.command_allocators == 0);
        CHECK(left.pipelines == 0);
    }
}

TEST_CASE("the figures say how far the scenarios came") {
    const auto device = replay::open_replay(test::scene_report(), {.interpolate = true});
    const auto exhaustion = run(**device, "descriptor-exhaustion", quick());
    INFO(words(exhaustion));
    CHECK(exhaustion.bindings->descriptors_reached == 1'000'000);
    CHECK(exhaustion.bindings->peak_samplers >= 4000);
    CHECK(exhaustion.bindings->limits.find("maxSamplerAllocationCount") != std::string::npos);
    const auto model = run(**device, "binding-model", quick());
    CHECK(model.bindings->recording_contexts == 8);  // the options' own
    CHECK(model.bindings->descriptors_checked >= 20 * 128 * 7);
    CHECK(model.bindings->peak_dynamic_descriptors > 0);
    const auto views = run(**device, "descriptor-views", quick());
    INFO(words(views));
    CHECK(views.bindings->limits.empty());  // views for writing images, too
    const auto upload = run(**device, "upload", quick());
    INFO(words(upload));
    CHECK(upload.bindings->bytes_checked > 32 * test::kMib);
    CHECK(upload.bindings->limits.find("one stall forced by a frame behind a gate, seen") != std::string::npos);
    REQUIRE(upload.run.bindings);
    CHECK(upload.run.bindings->upload_stalls >= 1);
}

TEST_CASE("the limit on samplers is told as the specification's and as the device's, each by its own") {
    constexpr const char* kCreated = "ID3D12Device::CreateDescriptorHeap";
    constexpr const char* kSamplers = "D3D12_DESCRIPTOR_HEAP_TYPE_SAMPLER";
    model::DeviceReport report = test::scene_report();
    const auto limits = [&] {
        const auto device = replay::open_replay(report, {.interpolate = true});
        const auto result = run(**device, "descriptor-exhaustion", quick());
        INFO(words(result));
        CHECK(result.verdict == model::Verdict::kReplayed);
        return result.bindings->limits;
    };
    SECTION("Vulkan forbids to ask for more") {
        report.limits.push_back({"VkPhysicalDeviceLimits", "maxDescriptorSetSamplers", 3000});
        CHECK(limits().find("shader-visible sampler heap: 3000 stated, more was not asked for") != std::string::npos);
    }
    SECTION("Vulkan states more than is tried") {
        report.limits.push_back({"VkPhysicalDeviceLimits", "maxDescriptorSetSamplers", 1'000'000});
        CHECK(limits().find("shader-visible sampler heap: 1000000 stated, 65536 created") != std::string::npos);
    }
    SECTION("a driver enforces nothing") {
        report.identity.api = model::Api::kD3d12;
        report.limits.push_back({kCreated, kSamplers, 65'536});
        CHECK(limits().find("shader-visible sampler heap: 2048 stated, not enforced up to 65536") != std::string::npos);
    }
    SECTION("a driver refuses in its own words") {
        report.identity.api = model::Api::kD3d12;
        report.limits.push_back({kCreated, kSamplers, 5000});
        report.limits.push_back({kCreated, "D3D12_DESCRIPTOR_HEAP_TYPE_SAMPLER refused", 5001});
        const std::string text = limits();
        INFO(text);
        CHECK(text.find("shader-visible sampler heap: 2048 stated, 8192 refused (") != std::string::npos);
        CHECK(text.find("the device refused a heap of 5001 descriptors") != std::string::npos);
    }
}

TEST_CASE("a policy with more samplers than the device states fails its validation with both figures") {
    model::DeviceReport report = test::scene_report();
    report.identity.api = model::Api::kD3d12;
    report.limits.push_back({"ID3D12Device::CreateDescriptorHeap", "D3D12_DESCRIPTOR_HEAP_TYPE_SAMPLER", 65'536});
    const auto device = replay::open_replay(report, {.interpolate = true});
    model::DevicePolicy policy = test::scene_policy();
    policy.descriptors.samplers.capacity.value = 8576;
    const auto result = run(**device, "descriptor-exhaustion", quick(), policy);
    CHECK(result.verdict == model::Verdict::kFailed);
    CHECK(result.reason.find("8576 shader-visible sampler descriptors are planned, one heap of the device may hold "
                             "2048") != std::string::npos);
}

TEST_CASE("a device without descriptor heaps is not supported, and says why") {
    const auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
    test::WithoutDescriptors device(**replay);
    const auto result = run(device, "binding-model", quick());
    CHECK(result.verdict == model::Verdict::kNotSupported);
    CHECK(result.reason.find("no descriptor heaps") != std::string::npos);
}

TEST_CASE("freeing one frame early makes a scenario fail") {
    const auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
    test::EarlyDevice device(**replay, 1);
    const auto result = run(device, "early-release", quick());
    INFO(words(result));
    CHECK(result.verdict == model::Verdict::kFailed);
    CHECK(named(result, model::Fault::kWrongDescriptor,
                "dynamic constant. of context 0: .* through it where resource [0-9]+ holds 0x1") > 0);
    CHECK(result.findings_total > 1000);
}

TEST_CASE("freeing a frame's lists early makes the scenarios of dynamic buffers, foreign frees and queues fail") {
    // A fence counts lists: as many as one frame of the scenario has, or more.
    const auto [name, lead] = GENERATE(
        table<const char*, std::uint64_t>({{"dynamic-buffers", 12}, {"foreign-frees", 40}, {"queue-lifetimes", 6}}));
    const auto replay = replay::open_replay(test::scene_report(),
                                            {.interpolate = true, .mode = replay::ReplayMode::kManual, .seed = 2});
    test::EarlyDevice device(**replay, lead);
    const auto result = run(device, name, quick());
    INFO(words(result));
    CHECK(result.verdict == model::Verdict::kFailed);
}

TEST_CASE("frames that only end with a list make the scenario of loading screens fail") {
    const auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
    test::BehindDevice device(**replay);
    const auto result = run(device, "loading-screens", quick());
    INFO(words(result));
    CHECK(result.verdict == model::Verdict::kFailed);
    CHECK(std::ranges::any_of(result.findings, [](const model::ValidationFinding& finding) {
        return finding.fault == model::Fault::kLeak &&
               finding.statement.find("frames without commands, although the device is idle") != std::string::npos;
    }));
}

TEST_CASE("memory that comes back while the device still has to read it shows as its poison") {
    const auto device = replay::open_replay(test::scene_report(),
                                            {.interpolate = true, .mode = replay::ReplayMode::kManual, .seed = 1});
    REQUIRE(device);
    const model::DevicePolicy policy = test::scene_policy();
    validate::FindingLog log;
    {
        const model::BufferDescription constants{
            .size_bytes = 256, .usage = model::buffer_usage::kUniform | model::buffer_usage::kTransferDst};
        const auto memory =
            validate::SceneMemory::create(**device, policy, model::MemoryUse::kUpload, constants, 65'536);
        REQUIRE(memory);
        validate::BindingScene scene(**device, policy, log, 1);
        REQUIRE(scene.set_up({}));
        const auto buffer = (*memory)->place(constants);
        REQUIRE(buffer);
        std::ranges::fill(buffer->bytes, std::byte{0x11});
        const auto view =
            scene.render().create_view(device::ConstantBufferView{.buffer = buffer->resource, .size_bytes = 256});
        const auto table = scene.make_static_table({.static_constant = 2, .static_buffer = 3, .image = 4});
        REQUIRE((view && table));
        REQUIRE(scene.begin_frame());
        REQUIRE(scene.dispatch(scene.render().immediate(),
                               {.tables = {.static_constant = 2, .static_buffer = 3, .image = 4},
                                .static_table = table->first_index(),
                                .other_constant = &*view,
                                .other_resource = buffer->resource,
                                .other_word = 0x1111'1111}));
        REQUIRE(scene.end_frame());  // nothing has run yet
        const bool too_early = GENERATE(true, false);
        const auto give_back = [&] {
            buffer->range.owner->free_range(buffer->range.offset_bytes, buffer->range.size_bytes, buffer->range.handle);
        };
        if (too_early) give_back();
        REQUIRE(scene.drain());
        if (!too_early) give_back();
        (*device)->resources().destroy(buffer->resource);
        REQUIRE(log.total() == (too_early ? 1 : 0));
        if (too_early) {
            const model::ValidationFinding finding = log.findings().front();
            CHECK(finding.resource == "descriptor 32768 (dynamic constant) of context 0");
            CHECK(finding.statement ==
                  "frame 0, command list 1: the device read 0xdeadbeef through it where resource " +
                      std::to_string(buffer->resource.value) + " holds 0x11111111");
        }
    }
    CHECK((*device)->take_validation_messages().empty());
}

TEST_CASE("the same device without that lie passes") {
    const auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
    test::EarlyDevice device(**replay, 0);
    const auto result = run(device, "early-release", quick());
    INFO(words(result));
    CHECK(result.verdict == model::Verdict::kReplayed);
}

TEST_CASE("handing one chunk to two contexts makes a scenario fail") {
    const auto device = replay::open_replay(test::scene_report(), {.interpolate = true});
    auto options = quick();
    options.make_visible_heap = TwiceHandedHeap::make;
    const auto model = run(**device, "binding-model", options);
    INFO(words(model));
    CHECK(model.verdict == model::Verdict::kFailed);
    CHECK(named(model, model::Fault::kWrongDescriptor, "descriptor [0-9]+ .dynamic .* of context [0-9]+") > 0);
    const auto apart = run(**device, "deferred-contexts", options);
    INFO(words(apart));
    CHECK(named(apart, model::Fault::kOverlap,
                "dynamic descriptor [0-9]+: .*context ([0-9]+) holds it, and context (?!\\1 )") > 0);
}

TEST_CASE("skipping the boundary of static and dynamic descriptors makes a scenario fail") {
    const auto device = replay::open_replay(test::scene_report(), {.interpolate = true});
    auto options = quick();
    options.make_visible_heap = NoBoundaryHeap::make;
    const auto result = run(**device, "binding-model", options);
    INFO(words(result));
    CHECK(result.verdict == model::Verdict::kFailed);
    CHECK(named(result, model::Fault::kWrongDescriptor, "descriptor [0-9]+ .static .* of context [0-9]+") > 0);
}

TEST_CASE("an unknown scenario is refused with the names that there are") {
    const auto device = replay::open_replay(test::scene_report(), {.interpolate = true});
    auto options = quick();
    options.scenarios = {"bindings"};
    const auto refused = validate::validate(**device, test::scene_policy(), test::scene_workload(), options);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("binding-model") != std::string::npos);
    options.scenarios = {"upload", "binding-model"};
    const auto two = validate::validate(**device, test::scene_policy(), test::scene_workload(), options);
    REQUIRE(two);
    REQUIRE(two->scenarios.size() == 2);
    CHECK(two->scenarios[0].name == "binding-model");
}
