// A device that keeps every guarantee, and for each guarantee a way to break it alone.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heapwright/model/report.hpp"

namespace heapwright::test {

// Types: 0 device local, 1 host visible and coherent, 2 both, 3 lazily allocated.
[[nodiscard]] model::DeviceReport sound_device();

struct PlantedFinding {
    std::string id;  // of the one finding that must come out
    std::size_t evidence = 1;
    std::function<void(model::DeviceReport&)> plant;
};

[[nodiscard]] std::vector<PlantedFinding> planted_findings();

}  // namespace heapwright::test
