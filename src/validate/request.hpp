// What a person may ask of a validation: the command line binds its options into this struct, the message to the
// worker carries it as the field table says, and validate() gets it as it is (ValidateOptions adds what only code can
// give). So a new option is one member with its row here, its option in cli/pipeline.cpp, and its user.
// It stands in this module because every user may depend on it: isolate runs validate(), and replay needs no isolate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "model/detail/codec.hpp"

namespace heapwright::validate {

struct ValidationRequest {
    bool validation_layers = false;              // the device is opened with them: any message fails the run
    bool allow_other_device = false;             // also a policy that was made for another device or driver
    bool scale_to_fit = false;                   // a part of a workload that the policy cannot hold, instead of failing
    bool allow_unplayed = false;                 // what the device lacks may stay out: a verdict in part is good
    bool allow_broken_promises = false;          // they stand in the result and fail nothing
    bool baselines = false;                      // other allocators on the same operations, for comparison
    std::vector<std::string> scenarios;          // by name (scenario_names()); empty: all
    std::vector<std::string> skipped_scenarios;  // by name: not run, whatever `scenarios` says
    std::optional<std::uint64_t> seed;           // empty: the workload's own
};

}  // namespace heapwright::validate

namespace heapwright::model::detail {

template <>
struct Fields<validate::ValidationRequest> {
    using S = validate::ValidationRequest;
    static constexpr std::string_view kName = "validation_request";
    static constexpr auto list = std::tuple{field("validation_layers", &S::validation_layers),
                                            field("allow_other_device", &S::allow_other_device),
                                            field("scale_to_fit", &S::scale_to_fit),
                                            field("allow_unplayed", &S::allow_unplayed),
                                            field("allow_broken_promises", &S::allow_broken_promises),
                                            field("baselines", &S::baselines),
                                            field("scenarios", &S::scenarios),
                                            field("skipped_scenarios", &S::skipped_scenarios),
                                            field("seed", &S::seed)};
};
static_assert(kHasRowForEveryMember<validate::ValidationRequest>);

}  // namespace heapwright::model::detail
