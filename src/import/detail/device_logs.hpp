// Devices as programs log them: a name, versions, and heaps with DXVK. Pure and thread-safe. Errors as in import.hpp.
//
//   DXVK's log             of DXVK alone, or of Proton with DXVK's lines in it; a device that several processes listed
//                          counts once. Sizes are whole mebibytes, rounded down. Logs of newer versions may
//                          name a device alone ("Found device: ..."). Source: DXVK, DxvkAdapter::logAdapterInfo.
//   gfxreconstruct info    what gfxrecon-info prints of a capture; no heaps. Source: gfxreconstruct, tools/info.
#pragma once

#include <string_view>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::imports::detail {

[[nodiscard]] bool is_dxvk_log(std::string_view text);
[[nodiscard]] Result<std::vector<model::DeviceReport>> import_dxvk_log(std::string_view text, std::string_view source);

[[nodiscard]] bool is_gfxrecon_info(std::string_view text);
[[nodiscard]] Result<std::vector<model::DeviceReport>> import_gfxrecon_info(std::string_view text,
                                                                            std::string_view source);

}  // namespace heapwright::imports::detail
