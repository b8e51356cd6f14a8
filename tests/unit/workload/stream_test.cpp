#include <catch2/catch_test_macros.hpp>

#include <limits>
#include <map>
#include <set>

#include "core/hash.hpp"
#include "stream_account.hpp"
#include "workload/stream.hpp"
#include "workload/trace.hpp"

using namespace heapwright;
using namespace heapwright::workload;
using model::Lifetime;

namespace {

model::Workload small_workload() {
    model::Workload workload;
    workload.name = "small";
    workload.steps_per_frame = 10;
    workload.churn_steps = 500;
    workload.images = {{.count = 40, .lifetime = Lifetime::kStreaming},
                       {.extents = {{64, 64}}, .count = 64, .lifetime = Lifetime::kLevel},
                       {.extents = {{1920, 1080}}, .count = 3, .lifetime = Lifetime::kPersistent}};
    workload.buffers = {{.count = 100, .lifetime = Lifetime::kStreaming},
                        {.count = 5, .lifetime = Lifetime::kFrame, .memory_use = model::MemoryUse::kUpload}};
    return workload;
}

std::vector<Operation> all_of(ResourceStream& stream) {
    std::vector<Operation> operations;
    while (auto operation = stream.next()) operations.push_back(std::move(*operation));
    return operations;
}

std::vector<Operation> run(const model::Workload& workload, std::uint64_t seed, double scale = 1.0) {
    auto stream = ResourceStream::create(workload, seed, scale);
    REQUIRE(stream);
    return all_of(*stream);
}

// The text that the sequence has as a trace: what a golden value is made of.
std::string text_of(const std::vector<Operation>& operations) {
    Trace trace;
    for (const Operation& operation : operations) {
        if (const auto* created = std::get_if<Create>(&operation)) {
            trace.operations.emplace_back(TraceCreate{created->id, created->resource, created->memory_use});
        } else if (const auto* destroyed = std::get_if<Destroy>(&operation)) {
            trace.operations.emplace_back(*destroyed);
        } else {
            trace.operations.emplace_back(EndFrame{});
        }
    }
    return write_trace(trace);
}

}  // namespace

TEST_CASE("one seed gives one sequence") {
    const auto first = run(small_workload(), 7);
    CHECK(first == run(small_workload(), 7));
    CHECK_FALSE(first == run(small_workload(), 8));
}

TEST_CASE("a sequence never changes between versions and platforms") {
    const std::string text = text_of(run(small_workload(), 7));
    CHECK(text.substr(0, text.find('\n', text.find('\n') + 1)) ==
          "heapwright-trace 1\ncreate 1 buffer 23980 usage=TRANSFER_DST|VERTEX_BUFFER memory=device");
    CHECK(hash_hex(text) == "4f0185e5c289d23a75481ed9e3baf34d");
}

TEST_CASE("a stream keeps its counts, its lifetimes and its rate") {
    const auto workload = small_workload();
    auto stream = ResourceStream::create(workload, 3);
    REQUIRE(stream);
    std::map<std::uint64_t, Create> alive;
    std::map<std::uint32_t, std::uint32_t> counts;
    std::uint64_t frame = 0;
    std::uint64_t churn = 0;
    std::uint64_t created_in_frame = 0;
    std::set<std::uint64_t> frame_ids;
    while (const auto operation = stream->next()) {
        if (const auto* created = std::get_if<Create>(&*operation)) {
            CHECK(alive.emplace(created->id, *created).second);
            const std::uint32_t live = ++counts[created->hint];
            CHECK(live <= stream->counts()[created->hint].used);
            if (created->lifetime == Lifetime::kFrame) frame_ids.insert(created->id);
            if (frame != 0 && created->lifetime != Lifetime::kFrame) {
                CHECK(created->lifetime != Lifetime::kPersistent);
                ++churn;
                ++created_in_frame;
            }
        } else if (const auto* destroyed = std::get_if<Destroy>(&*operation)) {
            REQUIRE(alive.contains(destroyed->id));
            const Create& gone = alive.at(destroyed->id);
            CHECK(gone.lifetime != Lifetime::kPersistent);
            --counts[gone.hint];
            frame_ids.erase(destroyed->id);
            alive.erase(destroyed->id);
        } else {
            CHECK(frame_ids.empty());
            if (frame == 0) CHECK(alive.size() == 40 + 64 + 3 + 100);
            CHECK(created_in_frame <= workload.steps_per_frame);
            created_in_frame = 0;
            ++frame;
        }
    }
    CHECK((churn >= workload.churn_steps && churn < workload.churn_steps + 4));  // a group of four may run over
    CHECK(frame == 1 + (churn + 9) / 10);
    CHECK(alive.size() == 40 + 64 + 3 + 100);
}

TEST_CASE("level resources come and go by groups") {
    model::Workload workload = small_workload();
    workload.buffers.clear();
    workload.images.erase(workload.images.begin());
    const auto operations = run(workload, 5);
    std::uint64_t destroyed_in_a_row = 0;
    std::uint64_t groups = 0;
    for (const Operation& operation : operations) {
        if (std::holds_alternative<Destroy>(operation)) {
            ++destroyed_in_a_row;
        } else if (std::holds_alternative<Create>(operation) && destroyed_in_a_row != 0) {
            CHECK(destroyed_in_a_row == 4);  // a sixteenth of 64
            destroyed_in_a_row = 0;
            ++groups;
        }
    }
    CHECK(groups == 125);
}

TEST_CASE("nothing is renewed twice in a frame, and the frames are as many as the steps take") {
    model::Workload workload = small_workload();
    workload.buffers.clear();
    workload.images = {{.extents = {{4096, 4096}}, .count = 1}};
    workload.steps_per_frame = 20;
    workload.churn_steps = 200;
    std::uint64_t created_in_frame = 0;
    std::uint64_t frames = 0;
    for (const Operation& operation : run(workload, 5)) {
        if (std::holds_alternative<Create>(operation)) CHECK(++created_in_frame == 1);
        if (!std::holds_alternative<EndFrame>(operation)) continue;
        created_in_frame = 0;
        ++frames;
    }
    CHECK(frames == 1 + 10);
}

TEST_CASE("resources that live for a frame are played without any other") {
    model::Workload workload = small_workload();
    workload.images = {{.extents = {{1920, 1080}}, .count = 30, .lifetime = Lifetime::kFrame}};
    workload.buffers.clear();
    auto stream = ResourceStream::create(workload, 5);
    REQUIRE(stream);
    const StreamAccount account = account_of(*stream);
    CHECK(account.frames == 1 + 50);
    CHECK(account.peak.images == 30);
    CHECK(account.live.images == 0);
}

TEST_CASE("resources that live for a frame are played once where nothing churns") {
    for (const std::uint32_t count : {1u, 30u}) {
        model::Workload workload = small_workload();
        workload.buffers = {{.count = count, .lifetime = Lifetime::kFrame}};
        workload.churn_steps = 0;
        auto stream = ResourceStream::create(workload, 5);
        REQUIRE(stream);
        const StreamAccount account = account_of(*stream);
        CHECK(account.frames == 2);
        CHECK(account.churn_steps == 0);
        CHECK(account.peak.buffers == count);
        CHECK(account.live.buffers == 0);
    }
}

TEST_CASE("a scale shrinks counts, keeps every hint and says what it did") {
    auto stream = ResourceStream::create(small_workload(), 1, 0.1);
    REQUIRE(stream);
    const auto& counts = stream->counts();
    REQUIRE(counts.size() == 5);
    CHECK((counts[0].wanted == 40 && counts[0].used == 4));
    CHECK((counts[2].wanted == 3 && counts[2].used == 1));
    CHECK((counts[3].wanted == 100 && counts[3].used == 10));
    const StreamAccount account = account_of(*stream);
    CHECK(account.peak.images == 4 + 6 + 1);
    CHECK(account.peak.buffers == 10 + 1);
    for (const double wrong : {0.0, -1.0, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
        CHECK(ResourceStream::create(small_workload(), 1, wrong).error().code == ErrorCode::kInvalidArgument);
    }
}

TEST_CASE("a workload is scaled to a limit") {
    const auto workload = small_workload();
    const auto full = expected_live_bytes(workload);
    REQUIRE(full);
    CHECK(scale_to_fit(workload, full->total()).value() == 1.0);
    const auto half = scale_to_fit(workload, full->total() / 2);
    REQUIRE(half);
    CHECK((*half < 1.0 && *half > 0.1));
    CHECK(expected_live_bytes(workload, *half)->total() <= full->total() / 2);
    CHECK(expected_live_bytes(workload, *half + 1.0 / 1024)->total() > full->total() / 2);
    const auto too_small = scale_to_fit(workload, 1 << 20);
    REQUIRE_FALSE(too_small);
    CHECK(too_small.error().code == ErrorCode::kOutOfRange);
    CHECK(too_small.error().value.value() > 8'294'400);

    // The expectation is what a stream really has.
    auto stream = ResourceStream::create(workload, 9);
    REQUIRE(stream);
    const StreamAccount account = account_of(*stream);
    const double ratio = static_cast<double>(account.peak.packed_bytes) / static_cast<double>(full->total());
    CHECK((ratio > 0.7 && ratio < 1.5));
}

TEST_CASE("without anything to churn the load is all") {
    model::Workload workload = small_workload();
    for (auto& image : workload.images) image.lifetime = Lifetime::kPersistent;
    for (auto& buffer : workload.buffers) buffer.lifetime = Lifetime::kPersistent;
    CHECK(run(workload, 1).size() == 40 + 64 + 3 + 100 + 5 + 1);
    workload.images.clear();
    workload.buffers.clear();
    CHECK(run(workload, 1).size() == 1);
}

TEST_CASE("hints that cannot be drawn from are refused by name") {
    const auto refused = [](auto&& change, std::string_view where) {
        model::Workload workload = small_workload();
        change(workload);
        const auto status = check_workload(workload);
        REQUIRE_FALSE(status);
        CHECK(status.error().code == ErrorCode::kInvalidArgument);
        CHECK(status.error().where == where);
        CHECK_FALSE(ResourceStream::create(workload, 1));
    };
    refused([](auto& w) { w.images[0].smallest_side = 0; }, "/images/0");
    refused([](auto& w) { w.images[0].smallest_side = 2000; }, "/images/0");
    refused([](auto& w) { w.images[0].smallest_side = 17, w.images[0].largest_side = 31; }, "/images/0");
    refused([](auto& w) { w.images[1].extents.push_back({0, 4}); }, "/images/1/extents");
    refused([](auto& w) { w.images[0].array_layers = 0; }, "/images/0/array_layers");
    refused([](auto& w) { w.images[0].samples = 3; }, "/images/0/samples");
    refused([](auto& w) { w.images[0].samples = 4, w.images[0].full_mips = true; }, "/images/0/full_mips");
    refused([](auto& w) { w.buffers[1].smallest_bytes = 0; }, "/buffers/1");
    refused([](auto& w) { w.buffers[1].largest_bytes = ~0ull; }, "/buffers/1");
    refused([](auto& w) { w.reserve_share = 1.0; }, "/reserve_share");
}
