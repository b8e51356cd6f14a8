// Why each wait of each example is there: the whole table, for the rules of both APIs. A row is one queue's (or the
// host's) waits for one fence that have one role for the same two accesses, with the values waited for.
#include <algorithm>
#include <sstream>

#include "engines/run_spans.hpp"
#include "rehearsed.hpp"

using namespace heapwright;
using engines::EngineProgram;
using engines::Rules;
using engines::WaitRole;

namespace {

struct Row {
    std::string waits;  // actor and fence
    std::string why;
    std::vector<std::uint64_t> values;
};

std::string who(const engines::Schedule& schedule, std::size_t operation) {
    const engines::Operation& described = schedule.operations[operation];
    if (const auto* execution = std::get_if<engines::Execute>(&described.what))
        return schedule.actors[described.actor.value].name + " " + execution->name;
    const std::string text = describe(schedule, operation);
    return text.substr(0, text.rfind(" (operation"));
}

std::string why(const engines::Schedule& schedule, const engines::WaitFinding& wait) {
    if (wait.role == WaitRole::kThrottle) return "throttle";
    if (wait.role == WaitRole::kRedundant) return "redundant";
    REQUIRE(wait.shown_by);
    REQUIRE(wait.shown_by->operations.size() == 2);
    return "necessary: " + who(schedule, wait.shown_by->operations[0]) + " / " +
           who(schedule, wait.shown_by->operations[1]);
}

// "1-3 5"
std::string ranges(const std::vector<std::uint64_t>& values) {
    std::ostringstream text;
    for (std::size_t i = 0; i < values.size();) {
        std::size_t last = i;
        while (last + 1 < values.size() && values[last + 1] == values[last] + 1) ++last;
        if (i != 0) text << ' ';
        text << values[i];
        if (last != i) text << '-' << values[last];
        i = last + 1;
    }
    return text.str();
}

std::vector<std::string> wait_table(const EngineProgram& program, Rules rules) {
    std::vector<Row> rows;
    for (const engines::WaitFinding& wait : engines::find_wait_roles(program.schedule, rules)) {
        const engines::Operation& operation = program.schedule.operations[wait.wait];
        const auto& what = std::get<engines::Wait>(operation.what);
        const std::string waits =
            program.schedule.actors[operation.actor.value].name + ", " + program.schedule.fences[what.fence.value].name;
        const std::string reason = why(program.schedule, wait);
        auto row = std::ranges::find_if(rows, [&](const Row& r) { return r.waits == waits && r.why == reason; });
        if (row == rows.end()) row = rows.insert(rows.end(), {waits, reason, {}});
        row->values.push_back(what.value);
    }
    std::vector<std::string> table;
    for (const Row& row : rows) table.push_back(row.waits + " >= " + ranges(row.values) + ": " + row.why);
    return table;
}

struct Expected {
    std::string_view example;
    std::vector<std::string> rows;
};

// The same for both APIs: no example has two queues write different bytes of one resource.
const std::vector<Expected> kExpected{
    {"multi-engine-frame",
     {"graphics, copyFence >= 101: necessary: copy copy geometry / graphics pre-pass",
      "compute, renderFence >= 201: necessary: graphics pre-pass / compute lighting",
      "graphics, computeFence >= 301: necessary: compute lighting / graphics final draw",
      "graphics, copyFence >= 102: necessary: copy copy texture / graphics final draw"}},
    {"copy-ring",
     {"graphics, fence2 >= 1-12: necessary: copy copy / graphics draw",
      "copy, fence1 >= 1-9: necessary: graphics draw / copy copy"}},
    {"pipelined-compute",
     {"graphics, computeFence >= 1-10: necessary: compute compute / graphics draw",
      "compute, graphicsFence >= 1-9: necessary: graphics draw / compute compute",
      "host, computeFence >= 1-8: throttle"}},
    {"async-compute",
     {"graphics, computeFence >= 1: necessary: compute compute / graphics draw",
      "compute, graphicsComputeFence >= 1 3-9: necessary: compute compute / graphics draw",
      "host, computeFence >= 2-12: necessary: compute compute / graphics draw",
      "compute, graphicsComputeFence >= 2: necessary: graphics draw / compute compute",
      "host, graphicsFence >= 1-19: throttle"}},
    {"async-compute-one-fence",
     {"graphics, computeFence >= 1: redundant",
      "host, computeFence >= 2 4 6 8 10-12: necessary: compute compute / graphics draw",
      "compute, graphicsFence >= 1-4: necessary: graphics draw / compute compute",
      "host, graphicsFence >= 1-5: throttle", "host, computeFence >= 10 10 10 10: throttle"}},
    {"async-compute-renamed",
     {"graphics, computeFence >= 1: necessary: compute compute / graphics draw",
      "compute, graphicsComputeFence >= 1 3-9: necessary: compute compute / graphics draw",
      "host, computeFence >= 2-3 9-12: necessary: compute compute / graphics draw",
      "compute, graphicsComputeFence >= 2: necessary: graphics draw / compute compute",
      "host, graphicsFence >= 1-19: throttle", "host, computeFence >= 4 4-5 5-6 6-7 7-8 8: throttle"}},
    {"streaming-copy",
     {"host, frameFence >= 1-6: throttle", "host, copyFence >= 2 4 6 8 10: necessary: copy stream / host fill staging",
      "host, copyFence >= 12: necessary: copy stream / graphics draw"}},
    {"background-compute",
     {"host, backgroundFence >= 4 8 12 16 20 24: necessary: background slice / graphics draw",
      "host, frameFence >= 1-14: throttle",
      "background, frameFence >= 6 9 12 15: necessary: graphics draw / background slice"}},
    {"interrupting-compute",
     {"host, urgentFence >= 1-8: necessary: urgent urgent / host read answer",
      "host, frameFence >= 1-5: necessary: graphics second half / host write decision"}},
};

}  // namespace

TEST_CASE("each wait is necessary, a throttle or redundant, as listed") {
    REQUIRE(kExpected.size() == engines::examples().size());
    for (std::size_t i = 0; i < kExpected.size(); ++i) {
        const engines::Example& example = engines::examples()[i];
        REQUIRE(example.name == kExpected[i].example);
        const EngineProgram program = test::rehearsed(example);
        for (const Rules rules : {Rules::kDirect3D12, Rules::kVulkan}) {
            INFO(example.name << (rules == Rules::kVulkan ? ", Vulkan" : ", Direct3D 12"));
            CHECK(wait_table(program, rules) == kExpected[i].rows);
        }
    }
}
