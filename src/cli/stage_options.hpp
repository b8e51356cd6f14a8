// The options of a validation, as every command that runs one takes them.
#pragma once

#include "heapwright/validate/request.hpp"

namespace CLI {
class App;
}

namespace heapwright::cli {

// --seed, --scale-to-fit, --allow-broken-promises, --baselines, --scenario, --validation-layers.
void add_validation_options(CLI::App& command, validate::ValidationRequest& request);

}  // namespace heapwright::cli
