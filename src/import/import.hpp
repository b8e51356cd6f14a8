// Reports from files that other tools wrote. The format is told by the content, never by the file's name.
//
//   gpuinfo.org JSON          Vulkan Hardware Capability Viewer, one device
//   vulkaninfo text           one device for each GPU section
//   vkjson                    Android's "cmd gpu vkjson" and LunarG's vkjson_info; one device, or each of an instance
//   vulkaninfo JSON           as --json wrote it before 1.3, and configurations of the device simulation layer
//   Vulkan Profiles JSON      one device for each profile; has no memory heaps and no memory types
//   D3d12info JSON            one device for each adapter
//   DXVK's log                name, driver, heaps and memory types; sizes in whole MiB
//   gfxreconstruct info       name, ids and versions
//
// A text is taken in UTF-8 and UTF-16, with any line ends. vulkaninfo's may be of any year since 2016, indented, quoted
// with '>', in a Markdown fence, among other output, or the memory's section alone.
// JSON may stand behind an assignment in JavaScript. Two defects of known tools are read with a finding "broken-json":
// control characters in a text, and keys in a list.
//
// What a file does not hold is never guessed: it is listed in DeviceReport::absent, as JSON pointers relative to the
// device. A fact that stands there in a form that is no number is absent too, with a finding. No import holds a sweep
// or costs of memory. Each device has a finding "imported" that names the format and the file's hash.
// The namespace is `imports`, because `import` begins a directive in C++20.
// Pure and thread-safe. Errors name the source and the place in it (a JSON pointer or a line): kParseError for text of
// no known format, which import.hpp names, or broken text, kSchemaViolation for what a report cannot hold (a memory
// type without its heap), kOutOfRange for too much of something.
// Beside it: files that are no report, each refused by its name with what to use instead.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "heapwright/core/error.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::imports {

enum class ImportFormat : std::uint8_t {
    kGpuinfo,
    kVulkaninfo,
    kProfiles,
    kD3d12info,
    kDevsim,
    kVkjson,
    kDxvkLog,
    kGfxrecon
};

// "gpuinfo.org JSON", ...
[[nodiscard]] std::string_view to_string(ImportFormat format);

// `source` names the text in errors.
[[nodiscard]] Result<ImportFormat> detect_format(std::string_view text, std::string_view source);

// The devices in the file's order. A report that comes back passes the strict reader.
[[nodiscard]] Result<model::Report> import_report(std::string_view text, std::string_view source);

// Files that are no report, known by what stands in them: dumps, recordings and logs of other tools, each refused by
// its name with what to use instead; and, for all others, which of the known formats is nearest.
// A reader asks once it knows the text to be none of its own, so a mark may be a common word. Pure and thread-safe.

// Dumps and recordings that are read as a workload (src/workload/dump.hpp) are foreign to a report alone.
enum class WantedFile : std::uint8_t { kReport, kWorkload };

// The refusal of a text of a foreign kind, which names the kind; nothing for a text of no kind known here.
[[nodiscard]] std::optional<Error> foreign_file(std::string_view text, std::string_view source, WantedFile wanted);

// The refusal of any other text by `import`: the nearest format with what of it was found and what was missing, and all
// formats that can be imported.
[[nodiscard]] Error unknown_file(std::string_view text, std::string_view source);

}  // namespace heapwright::imports
