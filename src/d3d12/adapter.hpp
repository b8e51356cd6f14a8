// What Direct3D 12 itself does not say of a device: who it is and how much memory it has. DXGI says so on Windows,
// DXCore on the Windows Subsystem for Linux; elsewhere the Vulkan device beneath vkd3d does.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "d3d12/api.hpp"
#include "d3d12/capability_source.hpp"
#include "d3d12/com.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::d3d12 {

// Direct3D 12's memory segment groups. On a device with unified memory everything is local.
struct AdapterMemory {
    std::uint64_t local_bytes = 0;  // 0: unknown
    std::uint64_t non_local_bytes = 0;
    std::optional<model::HeapBudget> local_budget;
    std::optional<model::HeapBudget> non_local_budget;
};

class Adapter {
public:
    virtual ~Adapter() = default;

    // Without api_version, which the opened device tells.
    [[nodiscard]] virtual model::DeviceIdentity identity() const = 0;

    [[nodiscard]] virtual AdapterMemory memory() const = 0;

    // Where memory()'s sizes are from, as a finding may say; empty where they are the API's own.
    [[nodiscard]] virtual std::string memory_source() const = 0;

    // Every call gives the device of this adapter. Errors: those of D3D12CreateDevice.
    [[nodiscard]] virtual Result<Com<ID3D12Device>> create_device() = 0;

    // Whether a queue's Wait() holds only if its Signal() was submitted before and nobody else waits for it: waits must
    // then be resolved by the host.
    [[nodiscard]] virtual bool needs_host_waits() const = 0;

    // Whether a texture copy may name a stencil plane. vkd3d (1.2 and 1.6) takes the plane for an array layer beyond
    // the last, and the driver writes and reads other memory then.
    [[nodiscard]] virtual bool copies_stencil() const = 0;

    // Waits until all that the queue was given has ended, where the runtime has a way beside the queue's own Signal():
    // for a queue that no longer signals. Otherwise nothing is waited for.
    virtual void wait_without_signal(ID3D12CommandQueue*) const {}

    // Why a program reads nothing through descriptor tables; empty where it does.
    [[nodiscard]] virtual std::string table_objection() const { return {}; }
};

// Loads the runtime and lists its adapters. Errors: see create_capability_source().
[[nodiscard]] Result<std::vector<std::unique_ptr<Adapter>>> list_adapters(const SourceOptions& options);

// D3D12CreateDevice as every runtime has it.
using CreateDeviceFunction = HRESULT(__stdcall*)(IUnknown* adapter, D3D_FEATURE_LEVEL minimum, const IID& interface_id,
                                                 void** device);

// The device at the lowest feature level that Direct3D 12 has. Errors: kDriverFailure with the HRESULT.
[[nodiscard]] Result<Com<ID3D12Device>> create_device_with(CreateDeviceFunction create, IUnknown* adapter);

}  // namespace heapwright::d3d12
