#include "d3d12/facts.hpp"

#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "d3d12/call.hpp"
#include "d3d12/fact_tables.hpp"
#include "heapwright/model/format.hpp"

namespace heapwright::d3d12 {
namespace {

bool is_refusal(HRESULT result) {
    const ErrorCode code = error_code(result);
    return result == E_FAIL || code == ErrorCode::kInvalidArgument || code == ErrorCode::kNotSupported;
}

class FactReader {
public:
    FactReader(ID3D12Device* device, model::DeviceReport& report) : device_(device), report_(report) {}

    void read_structure(const FeatureStructure& structure) {
        std::vector<std::uint32_t> words(structure.size_bytes / sizeof(std::uint32_t));
        const HRESULT result = ask(structure.feature, structure.feature_name, words.data(), structure.size_bytes);
        if (FAILED(result)) return leave_out(structure.feature_name, result);
        for (const FeatureMember& member : structure.members) {
            const std::uint32_t value = words[member.offset_bytes / sizeof(std::uint32_t)];
            auto& facts = member.is_bool ? report_.features : report_.limits;
            facts.push_back({.group = structure.name, .name = member.name, .value = value});
        }
    }

    // In and out: the highest version that is asked about, then the highest that is there. A runtime refuses a version
    // that it does not know.
    template <class Structure, class Version>
    void read_highest(D3D12_FEATURE feature, const char* feature_name, const char* structure_name,
                      const char* member_name, Version Structure::*member, std::initializer_list<int> versions) {
        HRESULT result = E_INVALIDARG;
        for (const int version : versions) {
            Structure data{};
            data.*member = static_cast<Version>(version);
            result = ask(feature, feature_name, &data, sizeof data);
            if (FAILED(result)) continue;
            report_.limits.push_back(
                {.group = structure_name, .name = member_name, .value = static_cast<std::uint64_t>(data.*member)});
            return;
        }
        leave_out(feature_name, result);
    }

    void read_feature_level() { report_.identity.api_version = highest_feature_level(device_, failed_); }

    void read_formats() {
        for (const model::FormatInfo& format : model::swept_formats()) {
            if (format.dxgi_format == 0) continue;
            D3D12_FEATURE_DATA_FORMAT_SUPPORT support{};
            support.Format = static_cast<DXGI_FORMAT>(format.dxgi_format);
            if (FAILED(ask(D3D12_FEATURE_FORMAT_SUPPORT, "D3D12_FEATURE_FORMAT_SUPPORT", &support, sizeof support))) {
                continue;
            }
            const std::string group = fmt::format("D3D12_FEATURE_DATA_FORMAT_SUPPORT {}", format.name);
            report_.limits.push_back({group, "Support1", static_cast<std::uint32_t>(support.Support1)});
            report_.limits.push_back({group, "Support2", static_cast<std::uint32_t>(support.Support2)});
        }
    }

    void finish() {
        failed_.tell("features-not-measured",
                     fmt::format("{} questions about features have no answer", failed_.count()), "/features",
                     report_.findings);
        if (unknown_.empty()) return;
        report_.findings.push_back({.id = "features-unknown-to-runtime",
                                    .severity = model::FindingSeverity::kNote,
                                    .statement = fmt::format("CheckFeatureSupport refuses {} of the structures that "
                                                             "were asked for; their facts are absent",
                                                             unknown_.size()),
                                    .clause = "ID3D12Device::CheckFeatureSupport",
                                    .evidence = std::move(unknown_)});
    }

private:
    HRESULT ask(D3D12_FEATURE feature, const char* name, void* data, std::size_t size_bytes) {
        return check_feature(device_, feature, data, size_bytes, name, failed_);
    }

    void leave_out(const char* name, HRESULT result) {
        if (is_refusal(result)) unknown_.push_back(fmt::format("{}: {}", name, result_name(result)));
    }

    ID3D12Device* device_;
    model::DeviceReport& report_;
    std::vector<std::string> unknown_;
    probe::FailedQuestions failed_;
};

}  // namespace

HRESULT check_feature(ID3D12Device* device, D3D12_FEATURE feature, void* data, std::size_t size_bytes,
                      std::string_view name, probe::FailedQuestions& failed) {
    constexpr const char* kCall = "ID3D12Device::CheckFeatureSupport";
    leave_breadcrumb(kCall, name);
    const HRESULT result = device->CheckFeatureSupport(feature, data, static_cast<UINT>(size_bytes));
    if (FAILED(result) && !is_refusal(result))
        failed.add(fmt::format("{} of {}: {}", kCall, name, result_text(result)));
    return result;
}

void read_features(ID3D12Device* device, model::DeviceReport& report) {
    FactReader reader(device, report);
    reader.read_feature_level();
    for (const FeatureStructure& structure : feature_structures()) reader.read_structure(structure);
    reader.read_highest(D3D12_FEATURE_SHADER_MODEL, "D3D12_FEATURE_SHADER_MODEL", "D3D12_FEATURE_DATA_SHADER_MODEL",
                        "HighestShaderModel", &D3D12_FEATURE_DATA_SHADER_MODEL::HighestShaderModel,
                        {0x69, 0x68, 0x67, 0x66, 0x65, 0x64, 0x63, 0x62, 0x61, 0x60, 0x51});
    reader.read_highest(D3D12_FEATURE_ROOT_SIGNATURE, "D3D12_FEATURE_ROOT_SIGNATURE",
                        "D3D12_FEATURE_DATA_ROOT_SIGNATURE", "HighestVersion",
                        &D3D12_FEATURE_DATA_ROOT_SIGNATURE::HighestVersion, {3, 2, 1});
    reader.read_formats();
    reader.finish();
}

std::string highest_feature_level(ID3D12Device* device, probe::FailedQuestions& failed) {
    constexpr D3D_FEATURE_LEVEL kLevels[] = {D3D_FEATURE_LEVEL_11_0, D3D_FEATURE_LEVEL_11_1, D3D_FEATURE_LEVEL_12_0,
                                             D3D_FEATURE_LEVEL_12_1, D3D_FEATURE_LEVEL_12_2};
    // A runtime that does not know the newest level refuses the whole list.
    for (UINT count = static_cast<UINT>(std::size(kLevels)); count > 0; --count) {
        D3D12_FEATURE_DATA_FEATURE_LEVELS levels{};
        levels.NumFeatureLevels = count;
        levels.pFeatureLevelsRequested = kLevels;
        if (FAILED(check_feature(device, D3D12_FEATURE_FEATURE_LEVELS, &levels, sizeof levels,
                                 "D3D12_FEATURE_FEATURE_LEVELS", failed))) {
            continue;
        }
        const auto level = static_cast<std::uint32_t>(levels.MaxSupportedFeatureLevel);
        return fmt::format("{}_{}", level >> 12, level >> 8 & 0xF);
    }
    return {};
}

}  // namespace heapwright::d3d12
