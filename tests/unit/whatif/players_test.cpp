#include <map>
#include <variant>
#include <vector>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_adapters.hpp>
#include <catch2/generators/catch_generators_random.hpp>

#include "policy/played_workload.hpp"
#include "policy/simulated_pool.hpp"
#include "whatif_scene.hpp"
#include "workload/stream.hpp"

namespace heapwright::whatif {
namespace {

using Catch::Approx;
using model::WhatIfColumn;

double figure_of(const Account& account, WhatIfColumn column) {
    const auto value = account.figures()[static_cast<std::size_t>(column)];
    REQUIRE(value);
    return *value;
}

// Counts what is taken and given back, as a driver's memory.
class CountingMemory final : public device::MemorySource {
public:
    Result<device::AllocationId> allocate(const device::AllocationRequest& request) override {
        taken_.emplace(++last_, request.size_bytes);
        return device::AllocationId{last_};
    }
    void free(device::AllocationId memory) override { CHECK(taken_.erase(memory.value) == 1); }
    Result<std::span<std::byte>> map(device::AllocationId) override { return fail(ErrorCode::kNotSupported, "none"); }
    Status flush(device::AllocationId, std::uint64_t, std::uint64_t) override { return {}; }
    Status invalidate(device::AllocationId, std::uint64_t, std::uint64_t) override { return {}; }
    Result<std::vector<model::HeapBudget>> budgets() override { return std::vector<model::HeapBudget>{}; }

    [[nodiscard]] std::size_t alive() const { return taken_.size(); }
    [[nodiscard]] std::uint64_t calls() const { return last_; }

private:
    std::map<std::uint64_t, std::uint64_t> taken_;
    std::uint64_t last_ = 0;
};

std::vector<Way> every_way(const model::DeviceReport& facts, const model::Workload& workload, const Way& advised) {
    std::vector<Way> ways{advised};
    for (const std::string_view rule : rule_names()) {
        std::string name(rule);
        if (name == "as-dumped") continue;
        if (const std::size_t at = name.find("SIZE"); at != std::string::npos) name.replace(at, 4, "16MiB");
        auto way = way_of_rule(name, facts, workload, advised);
        REQUIRE(way);
        ways.push_back(std::move(*way));
    }
    return ways;
}

}  // namespace

TEST_CASE("the pool's player has the figures of the simulated pool") {
    const std::uint64_t seed = GENERATE(take(2, random(1u, 1'000'000u)));
    for (const std::string_view file : kSceneReports) {
        const model::DeviceReport facts = report_of(file);
        for (const std::string_view preset : workload::preset_names()) {
            CAPTURE(seed, file, preset);
            model::Workload workload = small_preset(preset, 500);
            workload.seed = seed;
            const Way way = advised_for(facts, workload);
            const Stage stage = stage_on(facts);
            auto stream = workload::ResourceStream::create(workload, seed);
            REQUIRE(stream);
            std::vector<workload::Operation> operations;
            std::vector<std::optional<model::MemoryRequirements>> requirements;
            const policy::HintSizers sizers({.device = facts, .workload = workload, .device_index = 0});
            policy::HintSizes sizes(sizers);
            while (auto operation = stream->next()) {
                if (const auto* created = std::get_if<workload::Create>(&*operation)) {
                    const auto size = sizes.of(*created);
                    requirements.push_back(size ? std::optional(size->requirements) : std::nullopt);
                }
                operations.push_back(std::move(*operation));
            }
            policy::SimulatedPoolOptions options{.frames_in_flight = std::max(1u, workload.frames_in_flight),
                                                 .frame_budget_ns = workload.frame_budget_ns};
            options.price = [&](const policy::DeviceMemoryCall& call) {
                const double ns = stage.price_ns(call);
                return policy::SimulatedPrice{.late_ns = ns, .least_ns = ns, .median_ns = ns};
            };
            const Stage same{.facts = facts,
                             .price_ns = stage.price_ns,
                             .frames_in_flight = options.frames_in_flight,
                             .frame_budget_ns = options.frame_budget_ns};
            const Account played = play(way, same, program_of_hints(facts, workload), 0);
            const auto simulated = policy::simulate_pool(
                facts, *way.policy, operations,
                [&, next = std::size_t{0}](
                    const model::ResourceDescription&) mutable -> Result<model::MemoryRequirements> {
                    if (const auto& known = requirements[next++]) return *known;
                    return fail(ErrorCode::kNotSupported, "refused");
                },
                options);
            REQUIRE(simulated);
            CHECK(figure_of(played, WhatIfColumn::kMeanWaste) == Approx(simulated->mean_waste));
            CHECK(figure_of(played, WhatIfColumn::kPeakWaste) == Approx(simulated->peak_waste));
            std::uint64_t alive = 0;
            std::uint64_t most_alive = 0;
            std::uint64_t reserved = 0;
            std::uint64_t most_reserved = 0;
            for (const policy::DeviceMemoryCall& call : simulated->calls) {
                alive += call.takes ? 1 : 0;
                alive -= call.takes ? 0 : 1;
                reserved += call.takes ? call.size_bytes : 0;
                reserved -= call.takes ? 0 : call.size_bytes;
                most_alive = std::max(most_alive, alive);
                most_reserved = std::max(most_reserved, reserved);
            }
            CHECK(figure_of(played, WhatIfColumn::kDeviceAllocations) == static_cast<double>(most_alive));
            CHECK(figure_of(played, WhatIfColumn::kPeakReserved) == static_cast<double>(most_reserved));
            if (simulated->times.frames != 0) {
                CHECK(figure_of(played, WhatIfColumn::kWorstFrame) == Approx(simulated->times.worst_frame_ns));
            }
        }
    }
}

TEST_CASE("D3D12MA commits buffers by the width of their description, whatever the driver asks for them") {
    const model::DeviceReport facts = report_of(kSceneReports[0]);
    const model::Workload workload = small_preset("general-engine", 0);
    const Way advised = advised_for(facts, workload);
    const auto d3d12ma = way_of_rule("d3d12ma-default", facts, workload, advised);
    REQUIRE(d3d12ma);
    const Stage stage = stage_on(facts);
    const std::uint64_t width = GENERATE(1u, 256u, 32'768u, 32'769u, 65'536u);
    for (const std::uint64_t asked : {width, std::uint64_t{65'536}}) {
        CAPTURE(width, asked);
        auto player = make_player(*d3d12ma, stage);
        REQUIRE(player);
        Step step{.kind = Step::Kind::kCreate,
                  .request = {.requirements = {.size_bytes = asked, .alignment_bytes = 256, .memory_type_bits = ~0u},
                              .resource_class = model::ResourceClass::kLinear},
                  .buffer_bytes = width};
        REQUIRE((*player)->play(std::vector{step, Step{}}));
        const double reserved = figure_of((*player)->account(), WhatIfColumn::kPeakReserved);
        CHECK((reserved == 65'536) == (width <= 32'768));
    }
}

TEST_CASE("every way holds at least what is used, and one each exactly that") {
    for (const std::string_view file : kSceneReports) {
        const model::DeviceReport facts = report_of(file);
        for (const std::string_view preset : workload::preset_names()) {
            const model::Workload workload = small_preset(preset, 300);
            const Way advised = advised_for(facts, workload);
            const Program program = program_of_hints(facts, workload);
            for (const Way& way : every_way(facts, workload, advised)) {
                CAPTURE(file, preset, way.name);
                REQUIRE(way.not_played.empty());
                const Account account = play(way, stage_on(facts), program, 0);
                const double waste = figure_of(account, WhatIfColumn::kMeanWaste);
                CHECK(waste >= 0);
                CHECK((way.kind != Way::Kind::kOneEach || waste == 0));
                CHECK(figure_of(account, WhatIfColumn::kDeviceAllocations) > 0);
            }
        }
    }
}

TEST_CASE("a device gets back all that a player took of its memory, and has the same figures") {
    const model::DeviceReport facts = report_of(kSceneReports[0]);
    const model::Workload workload = small_preset(workload::preset_names().front(), 500);
    const Way advised = advised_for(facts, workload);
    const Program program = program_of_hints(facts, workload);
    for (const Way& way : every_way(facts, workload, advised)) {
        CAPTURE(way.name);
        CountingMemory memory;
        Stage real = stage_on(facts);
        real.memory = &memory;
        const Account on_device = play(way, real, program, 0);
        CHECK(memory.calls() > 0);
        CHECK(memory.alive() == 0);
        const Account numbers = play(way, stage_on(facts), program, 0);
        CHECK(on_device.figures() == numbers.figures());
    }
}

}  // namespace heapwright::whatif
