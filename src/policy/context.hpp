// What every rule reads, and how it cites what it read: JSON pointers into the report and the workload as
// src/model writes them, with the value found there. A view: the report and the workload outlive it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/checked.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::policy {

struct Context {
    const model::DeviceReport& device;
    const model::Workload& workload;
    std::size_t device_index;              // position in the report, for the pointers
    std::string_view workload_argument{};  // AdviseOptions'; empty: the workload's name
    double cost_factor = 1;                // on what the report says that device memory costs (learned.hpp)

    // `suffix` starts with "/" and is relative to the device.
    [[nodiscard]] model::DecisionInput cite_device(std::string_view suffix, model::Figure value) const;
    [[nodiscard]] model::DecisionInput cite_workload(std::string path, model::Figure value) const;
};

struct CitedLimit {
    std::uint64_t value = 0;
    model::DecisionInput input;
};

// A limit with its pointer "/devices/N/limits/GROUP/NAME", of `group` where one is given; nothing when the device did
// not report it, or reported 0 where no device may have that. `unit` is that of the limit, for the citation.
[[nodiscard]] std::optional<CitedLimit> find_limit(const Context& context, model::FactName name,
                                                   std::string_view group = {}, model::Unit unit = model::Unit::kCount);

// "DEVICE_LOCAL|HOST_VISIBLE", or "no flags".
[[nodiscard]] std::string property_flags_text(model::Flags flags);
[[nodiscard]] std::string_view to_string(model::MemoryUse use);
[[nodiscard]] std::string_view to_string(model::ResourceClass resource_class);

// The host and the device share their memory: memory of every heap is device local, or the GPU is integrated, whose
// device-local heap is then a carve-out of the same memory.
[[nodiscard]] bool is_unified_memory(const model::DeviceReport& device);

// What the class of a device means for its memory, said where the plan touches it: the heaps of an integrated device
// are one RAM, and reads by the host of memory that is not host cached are slow. Pure.
//
// Where such a device has several heaps, the workload's reserve share is left twice over (0.1 becomes 0.19): what one
// heap takes, the other heap and the rest of the system lack. Others leave a fifth on integrated devices (ollama, pull
// request 14954).

// Several heaps that can be planned in, and all of them the RAM of the host.
[[nodiscard]] bool shares_one_ram(const model::DeviceReport& device);

// Of `policy` the memory uses and the capacity plan are there.
void warn_of_device_class(const Context& context, const model::DevicePolicy& policy, model::Statement& warnings);

}  // namespace heapwright::policy
