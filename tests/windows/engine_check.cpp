// Checks the engines of one API on Windows: transforms and draws byte for byte, waits before signals, events on
// completion. Usage: engine_check vulkan|d3d12. Plain C++, because the cross build has no test framework. Exit code 0:
// every check held.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "d3d12/capability_source.hpp"
#include "device/device.hpp"
#include "device/submitter.hpp"
#include "vulkan/capability_source.hpp"

using namespace heapwright;
using namespace heapwright::device;

namespace {

constexpr std::uint64_t kTimeoutNs = 30'000'000'000;
constexpr std::uint64_t kShortNs = 20'000'000;
constexpr std::uint32_t kWordCount = 4096;
constexpr std::uint32_t kSide = 50;  // rows that are no multiple of 256 bytes

int g_failed = 0;

void check(bool held, const std::string& what) {
    std::printf("%s: %s\n", held ? "good" : "FAILED", what.c_str());
    if (!held) ++g_failed;
}

template <class T>
T demand(Result<T> result) {
    if (result) return std::move(*result);
    std::printf("FAILED: %s\n", to_string(result.error()).c_str());
    std::exit(1);
}
void demand(const Status& status) {
    if (status) return;
    std::printf("FAILED: %s\n", to_string(status.error()).c_str());
    std::exit(1);
}

// A resource of its own in the first memory type that takes it.
ResourceId make(Device& device, const model::ResourceDescription& resource, bool host) {
    const auto requirements = demand(device.resources().requirements(resource));
    const auto& types = device.facts().memory_types;
    for (std::uint32_t type = 0; type < types.size(); ++type) {
        if ((requirements.memory_type_bits >> type & 1) == 0) continue;
        if (host && (types[type].property_flags & model::memory_property::kHostVisible) == 0) continue;
        const auto made = device.resources().create_dedicated(resource, {type}, 0.5f);
        if (made && (!host || device.resources().map_dedicated(*made))) return *made;
    }
    demand(Status(fail(ErrorCode::kNotSupported, "no memory type takes a resource")));
    return {};
}

struct Bench {
    explicit Bench(Device& opened) : device(opened), timeline(demand(opened.create_timeline(0))) {
        constexpr model::Flags kTransfers = model::buffer_usage::kTransferSrc | model::buffer_usage::kTransferDst;
        const model::BufferDescription plain{.size_bytes = kWordCount * 4, .usage = kTransfers};
        staging = make(device, plain, true);
        words =
            make(device, model::BufferDescription{plain.size_bytes, kTransfers | model::buffer_usage::kStorage}, false);
    }

    void submit(std::uint32_t engine, std::vector<Work> work, std::vector<TimelinePoint> waits,
                std::vector<TimelinePoint> signals) {
        demand(device.submitter().submit({.engine = {engine}, .waits = waits, .work = work, .signals = signals}));
    }

    void run(std::uint32_t engine, std::vector<Work> work) {
        submit(engine, std::move(work), {}, {{timeline.get(), {++value}}});
        demand(timeline->wait({value}, kTimeoutNs));
    }

    [[nodiscard]] std::vector<std::uint32_t> read() {
        run(0, {CopyBuffer{.source = words, .destination = staging, .size_bytes = kWordCount * 4}});
        const auto bytes = demand(device.resources().map_dedicated(staging));
        std::vector<std::uint32_t> found(kWordCount);
        std::memcpy(found.data(), bytes.data(), kWordCount * 4);
        return found;
    }

    void write(const std::vector<std::uint32_t>& contents) {
        const auto bytes = demand(device.resources().map_dedicated(staging));
        std::memcpy(bytes.data(), contents.data(), kWordCount * 4);
        run(0, {CopyBuffer{.source = staging, .destination = words, .size_bytes = kWordCount * 4}});
    }

    Device& device;
    std::unique_ptr<Timeline> timeline;
    std::uint64_t value = 0;
    ResourceId staging;
    ResourceId words;
};

std::vector<std::uint32_t> patterns() {
    std::vector<std::uint32_t> words(kWordCount);
    for (std::uint32_t i = 0; i < kWordCount; ++i) words[i] = i * 2654435761u;
    return words;
}

void check_transforms(Bench& bench) {
    const auto engines = bench.device.submitter().engines();
    for (std::uint32_t engine = 0; engine < engines.size(); ++engine) {
        if (engines[engine].kind == EngineKind::kCopy) continue;
        std::vector<std::uint32_t> wanted = patterns();
        bench.write(wanted);
        bench.run(engine, {TransformBuffer{.source = bench.words,
                                           .destination = bench.words,
                                           .source_offset_bytes = 1024,
                                           .destination_offset_bytes = 1024,
                                           .size_bytes = 4004,
                                           .key = 7,
                                           .rounds = 5}});
        for (std::uint32_t i = 256; i < 256 + 1001; ++i) wanted[i] = transform_word(wanted[i], 7, 5);
        check(bench.read() == wanted, "transform on " + engines[engine].name);
    }
}

void check_draw(Bench& bench) {
    const model::ImageDescription shape{
        .usage = model::image_usage::kTransferSrc | model::image_usage::kColorAttachment,
        .width = kSide,
        .height = kSide};
    const ResourceId image = make(bench.device, shape, false);
    const auto views = demand(bench.device.descriptors()->create({.kind = DescriptorHeapKind::kRtv, .capacity = 1}));
    demand(bench.device.descriptors()->write(views, 0, RenderTargetView{.image = image}));
    bench.write(patterns());
    bench.run(0, {DrawBuffer{.heap = views, .image = image, .source = bench.words, .source_offset_bytes = 256},
                  FillBuffer{.buffer = bench.words, .size_bytes = kWordCount * 4, .value = 1},
                  CopyImageToBuffer{.image = image, .buffer = bench.words}});
    std::vector<std::uint32_t> wanted(kWordCount, 1);
    for (std::uint32_t i = 0; i < kSide * kSide; ++i) wanted[i] = patterns()[i + 64];
    check(bench.read() == wanted, "draw");
    bench.device.descriptors()->destroy(views);
    bench.device.resources().destroy(image);
}

void check_waits_and_events(Bench& bench) {
    const auto count = static_cast<std::uint32_t>(bench.device.submitter().engines().size());
    const auto chain = demand(bench.device.create_timeline(0));
    std::vector<CompletionEvent> events(count + 1);
    for (std::uint32_t i = 0; i <= count; ++i) demand(chain->signal_event({i + 1}, events[i]));
    for (std::uint32_t engine = count; engine-- > 0;) {
        bench.submit(engine, {}, {{chain.get(), {engine + 1}}}, {{chain.get(), {engine + 2}}});
    }
    check(!events.back().wait_for(kShortNs), "nothing runs before the first signal");
    demand(chain->signal({1}));
    check(events.back().wait_for(kTimeoutNs), "the event of the last engine's signal");
    check(std::all_of(events.begin(), events.end(),
                      [](const CompletionEvent& event) { return event.wait_for(kTimeoutNs); }),
          "the events of all engines' signals");
    check(demand(chain->completed()).value == count + 1, "the chain's value");
}

std::unique_ptr<CapabilitySource> source_of(const std::string& api) {
    if (api == "vulkan") return demand(vulkan::create_capability_source({}));
    return demand(d3d12::create_capability_source({}));
}

}  // namespace

int main(int argument_count, char** arguments) {
    if (argument_count != 2) return 2;
    const auto source = source_of(arguments[1]);
    CompletionEvent at_the_end;
    {
        const auto device = demand(source->open(0, {}));
        for (const EngineInfo& engine : device->submitter().engines()) {
            std::printf("engine %s%s%s\n", engine.name.c_str(), engine.priority_note.empty() ? "" : ": ",
                        engine.priority_note.c_str());
        }
        std::printf("early waits %s\n", device->submitter().accepts_early_waits() ? "by the device" : "by the host");
        Bench bench(*device);
        check_transforms(bench);
        check_draw(bench);
        check_waits_and_events(bench);
        demand(bench.timeline->signal_event({bench.value + 1}, at_the_end));
        check(!at_the_end.is_signalled(), "an event of a value that nobody signals");
        device->resources().destroy(bench.staging);
        device->resources().destroy(bench.words);
    }
    check(at_the_end.wait_for(0), "the event comes when the device ends");
    std::printf("%d failed\n", g_failed);
    return g_failed == 0 ? 0 : 1;
}
