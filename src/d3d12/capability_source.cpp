#include "d3d12/capability_source.hpp"

#include <optional>
#include <utility>

#include "d3d12/adapter.hpp"
#include "d3d12/device.hpp"
#include "d3d12/device_report.hpp"
#include "d3d12/facts.hpp"

namespace heapwright::d3d12 {
namespace {

class D3d12CapabilitySource final : public device::CapabilitySource {
public:
    explicit D3d12CapabilitySource(std::vector<std::unique_ptr<Adapter>> adapters) : adapters_(std::move(adapters)) {}

    // An adapter that gives no device (a display-only one) keeps its place beside one that does: reading it says why.
    [[nodiscard]] Status identify() {
        std::optional<Error> refusal;
        bool any = false;
        for (const auto& adapter : adapters_) {
            identities_.push_back(adapter->identity());
            if (const auto device = adapter->create_device()) {
                any = true;
                probe::FailedQuestions failed;  // reading the device tells of its own
                identities_.back().api_version = highest_feature_level(device->get(), failed);
            } else if (!refusal) {
                refusal = device.error();
            }
        }
        if (!any && refusal) return fail(*std::move(refusal));
        return {};
    }

    [[nodiscard]] const std::vector<model::DeviceIdentity>& adapters() const override { return identities_; }

    [[nodiscard]] Result<model::DeviceReport> read(std::size_t adapter, const device::ReadOptions& options) override {
        HEAPWRIGHT_TRY(check_index(adapter));
        return read_report(*adapters_[adapter], static_cast<std::uint32_t>(adapter), options);
    }

    [[nodiscard]] Result<std::unique_ptr<device::Device>> open(std::size_t adapter,
                                                               const device::OpenOptions& options) override {
        HEAPWRIGHT_TRY(check_index(adapter));
        if (options.validation_layers) {
            return fail(ErrorCode::kRefused, "Direct3D 12 has no validation layers here", "OpenOptions");
        }
        if (options.descriptor_form && *options.descriptor_form != device::DescriptorForm::kDescriptorHeap) {
            return fail(ErrorCode::kNotSupported, "Direct3D 12 has descriptor heaps alone",
                        "OpenOptions::descriptor_form");
        }
        return open_device(*adapters_[adapter], static_cast<std::uint32_t>(adapter));
    }

private:
    [[nodiscard]] Status check_index(std::size_t adapter) const {
        if (adapter < adapters_.size()) return {};
        return fail({.code = ErrorCode::kOutOfRange,
                     .message = "no such Direct3D 12 device",
                     .where = "adapter",
                     .value = adapter,
                     .limit = adapters_.size()});
    }

    std::vector<std::unique_ptr<Adapter>> adapters_;
    std::vector<model::DeviceIdentity> identities_;
};

}  // namespace

Result<std::unique_ptr<device::CapabilitySource>> create_capability_source(const SourceOptions& options) {
    HEAPWRIGHT_ASSIGN(auto adapters, list_adapters(options));
    auto source = std::make_unique<D3d12CapabilitySource>(std::move(adapters));
    HEAPWRIGHT_TRY(source->identify());
    return std::unique_ptr<device::CapabilitySource>(std::move(source));
}

}  // namespace heapwright::d3d12
