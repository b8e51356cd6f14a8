// Differences that are known and accepted, from a TOML file:
//   [[allow]]
//   path = "/image_sweep/R8_UNORM/**/alignment_bytes"  # glob; required
//   device = "AMD Radeon RX 5700*"                     # glob of the name, or "1002:731f"; default: any
//   driver = "MESA_RADV Mesa 25.*"                     # glob of "DRIVER_ID driver_info" of the other document; any
//   from = "4096"                                      # the baseline's value; default: any
//   to = "8192"                                        # the other document's value; default: any
//   reason = "accepted with the switch to 25.0"        # required
//   link = "https://..."
//   expires = 2027-01-31                               # the last day on which it counts
// A change that an entry matches becomes expected. An expired entry allows nothing. A sweep change's path is its case's
// path and the property. docs/ci.md describes it for users. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/core/result.hpp"
#include "model/comparison.hpp"

namespace heapwright::compare {

struct Date {
    std::uint32_t year = 0;
    std::uint32_t month = 0;
    std::uint32_t day = 0;

    friend auto operator<=>(const Date&, const Date&) = default;
};

// "2027-01-31". Errors: kInvalidArgument.
[[nodiscard]] Result<Date> parse_date(std::string_view text);

struct AllowEntry {
    std::string path;
    std::string device;  // empty: any
    std::string driver;
    std::optional<std::string> from;
    std::optional<std::string> to;
    std::string reason;
    std::string link;
    std::optional<Date> expires;
    std::uint64_t line = 0;
    std::uint64_t uses = 0;
};

class AllowList {
public:
    AllowList() = default;

    // Errors: kParseError and kSchemaViolation with file and line.
    [[nodiscard]] static Result<AllowList> parse(std::string_view text, std::string_view file, Date today);

    // The first entry that accepts this change, as the reason to show; counts its use.
    [[nodiscard]] std::optional<std::string> accept(const model::DeviceIdentity& device, std::string_view path,
                                                    std::string_view from, std::string_view to);

    // Entries that have expired, and those that were never used.
    [[nodiscard]] std::vector<model::AllowListNote> notes() const;

private:
    [[nodiscard]] bool is_expired(const AllowEntry& entry) const;

    std::string file_;
    Date today_;
    std::vector<AllowEntry> entries_;
};

}  // namespace heapwright::compare
