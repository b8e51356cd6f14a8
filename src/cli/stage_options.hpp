// The options of the stages (cli/pipeline.hpp), as every command that runs one takes them.
#pragma once

#include "heapwright/cli/pipeline.hpp"

namespace heapwright::cli {

// --seed, --baselines, --scenario, --validation-layers.
void add_validate_stage_options(CLI::App& command, ValidateStage& stage);

}  // namespace heapwright::cli
