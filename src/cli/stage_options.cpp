#include "heapwright/cli/stage_options.hpp"

#include <CLI/CLI.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "heapwright/cli/argument_checks.hpp"
#include "heapwright/core/nearest_word.hpp"
#include "heapwright/validate/validate.hpp"

namespace heapwright::cli {
namespace {

CLI::Validator known_scenario() {
    return {[](const std::string& name) {
                const auto known = validate::scenario_names();
                if (std::ranges::find(known, name) != known.end()) return std::string();
                return fmt::format("no scenario \"{}\"; there are {}{}", name, fmt::join(known, ", "),
                                   nearest_word_hint(name, known));
            },
            ""};
}

}  // namespace

void add_validation_options(CLI::App& command, validate::ValidationRequest& request) {
    command.add_option("--seed", request.seed, "Seed of the synthetic workload (default: the workload's own)")
        ->transform(whole_number());
    command.add_flag("--scale-to-fit", request.scale_to_fit,
                     "Play a part of a workload that does not fit the policy, instead of failing, and exit with 0 "
                     "where the memory limit alone lets only a part run (--allow-unplayed: also where the device "
                     "lacks resources); the verdict says how large a part");
    command.add_flag("--allow-unplayed", request.allow_unplayed,
                     "Exit with 0 also where the device lacks resources of the workload, so that only a part of it was "
                     "validated");
    command.add_flag("--allow-broken-promises", request.allow_broken_promises,
                     "Tell broken promises of the policy (waste, device allocations, times, peaks), but fail nothing "
                     "for them");
    command.add_flag("--baselines", request.baselines,
                     "Run other allocators on the same operations too: one allocation for every resource, the chunk "
                     "rule max(M, H / K) of the article \"Vulkan Memory Allocation\", the Vulkan Memory Allocator's "
                     "default rule; and streaming with chunks on demand, the policy's and 256 MiB");
    command
        .add_option("--scenario", request.scenarios,
                    fmt::format("Run this scenario alone (may be repeated; default: all): {}",
                                fmt::join(validate::scenario_names(), ", ")))
        ->check(known_scenario())
        ->allow_extra_args(false);
    command
        .add_option("--skip-scenario", request.skipped_scenarios,
                    "Run all but this scenario (may be repeated), as where one brings a driver down")
        ->check(known_scenario())
        ->allow_extra_args(false);
    command.add_flag("--validation-layers", request.validation_layers,
                     "Turn on VK_LAYER_KHRONOS_validation; any message fails the run");
}

}  // namespace heapwright::cli
