#include "d3d12/wsl.hpp"

#include <filesystem>
#include <system_error>

#include "core/system.hpp"
#include "d3d12/capability_source.hpp"

namespace heapwright::wsl {

bool has_direct3d12() {
    if (!environment_variable("HEAPWRIGHT_DXCORE").value_or("").empty()) return true;
    std::error_code ignored;
    return std::filesystem::exists("/dev/dxg", ignored);
}

Result<std::unique_ptr<device::CapabilitySource>> create_direct3d12_source() {
    return d3d12::create_capability_source({});
}

}  // namespace heapwright::wsl
