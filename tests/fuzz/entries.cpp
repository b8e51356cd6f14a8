#include "entries.hpp"

namespace heapwright::fuzz {

std::span<const Entry> entries() {
    static constexpr Entry kEntries[]{{"cluster", cluster},
                                      {"import_d3d12info", import_d3d12info},
                                      {"import_devsim", import_devsim},
                                      {"import_gpuinfo", import_gpuinfo},
                                      {"import_logs", import_logs},
                                      {"import_profiles", import_profiles},
                                      {"import_vkjson", import_vkjson},
                                      {"import_vulkaninfo", import_vulkaninfo},
                                      {"print_schema", print_schema},
                                      {"read_allow_list", read_allow_list},
                                      {"read_comparison", read_comparison},
                                      {"read_drivers", read_drivers},
                                      {"read_dump", read_dump},
                                      {"read_policy", read_policy},
                                      {"read_recording", read_recording},
                                      {"read_report", read_report},
                                      {"read_trace", read_trace},
                                      {"read_validation", read_validation},
                                      {"read_what_if", read_what_if},
                                      {"read_workload", read_workload}};
    return kEntries;
}

}  // namespace heapwright::fuzz
