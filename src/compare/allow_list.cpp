#include "heapwright/compare/allow_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <exception>

#include <toml++/toml.h>

#include "heapwright/compare/glob.hpp"

namespace heapwright::compare {
namespace {

constexpr std::array<std::string_view, 8> kKeys{"path", "device", "driver", "from", "to", "reason", "link", "expires"};

tl::unexpected<Error> at(std::string_view file, const toml::source_region& region, ErrorCode code,
                         std::string message) {
    return fail(code, std::move(message), fmt::format("{}:{}", file, region.begin.line));
}

Status read_text(const toml::table& table, std::string_view key, std::string_view file, std::string& value) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return {};
    if (const auto text = node->value<std::string>(); text && node->is_string()) {
        value = *text;
        return {};
    }
    return at(file, node->source(), ErrorCode::kSchemaViolation, fmt::format("\"{}\" must be a string", key));
}

// Values may be written as numbers too.
Status read_value(const toml::table& table, std::string_view key, std::string_view file,
                  std::optional<std::string>& value) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return {};
    if (const auto* text = node->as_string())
        value = text->get();
    else if (const auto* number = node->as_integer())
        value = std::to_string(number->get());
    else
        return at(file, node->source(), ErrorCode::kSchemaViolation,
                  fmt::format("\"{}\" must be a string or an integer", key));
    return {};
}

Result<AllowEntry> read_entry(const toml::table& table, std::string_view file) {
    AllowEntry entry{.line = table.source().begin.line};
    for (const auto& [key, node] : table) {
        if (std::ranges::find(kKeys, key.str()) == kKeys.end()) {
            return at(file, key.source(), ErrorCode::kSchemaViolation,
                      fmt::format("unknown key \"{}\"; known are path, device, driver, from, to, reason, link and "
                                  "expires",
                                  key.str()));
        }
    }
    HEAPWRIGHT_TRY(read_text(table, "path", file, entry.path));
    HEAPWRIGHT_TRY(read_text(table, "device", file, entry.device));
    HEAPWRIGHT_TRY(read_text(table, "driver", file, entry.driver));
    HEAPWRIGHT_TRY(read_text(table, "reason", file, entry.reason));
    HEAPWRIGHT_TRY(read_text(table, "link", file, entry.link));
    HEAPWRIGHT_TRY(read_value(table, "from", file, entry.from));
    HEAPWRIGHT_TRY(read_value(table, "to", file, entry.to));
    if (entry.path.empty()) return at(file, table.source(), ErrorCode::kSchemaViolation, "an entry needs a \"path\"");
    if (!entry.path.starts_with('/'))
        return at(file, table.source(), ErrorCode::kSchemaViolation,
                  fmt::format("\"path\" must begin with \"/\", as \"/limits/**\": \"{}\"", entry.path));
    if (entry.reason.empty())
        return at(file, table.source(), ErrorCode::kSchemaViolation, "an entry needs a \"reason\"");
    if (const toml::node* node = table.get("expires")) {
        if (const auto* date = node->as_date()) {
            entry.expires = Date{date->get().year, date->get().month, date->get().day};
        } else if (const auto* text = node->as_string()) {
            const auto parsed = parse_date(text->get());
            if (!parsed) return at(file, node->source(), ErrorCode::kSchemaViolation, parsed.error().message);
            entry.expires = *parsed;
        } else {
            return at(file, node->source(), ErrorCode::kSchemaViolation, "\"expires\" must be a date, as 2027-01-31");
        }
    }
    return entry;
}

bool selects_device(const std::string& pattern, const model::DeviceIdentity& device) {
    return pattern.empty() || matches_text(pattern, device.name) ||
           pattern == fmt::format("{:04x}:{:04x}", device.vendor_id, device.device_id);
}

}  // namespace

Result<Date> parse_date(std::string_view text) {
    Date date;
    const auto number = [&](std::size_t offset, std::size_t length, std::uint32_t& value) {
        const char* end = text.data() + offset + length;
        return std::from_chars(text.data() + offset, end, value).ptr == end;
    };
    const bool good = text.size() == 10 && text[4] == '-' && text[7] == '-' && number(0, 4, date.year) &&
                      number(5, 2, date.month) && number(8, 2, date.day) &&
                      std::chrono::year_month_day{std::chrono::year{static_cast<int>(date.year)},
                                                  std::chrono::month{date.month}, std::chrono::day{date.day}}
                          .ok();
    if (!good) return fail(ErrorCode::kInvalidArgument, fmt::format("\"{}\" is no date as 2027-01-31", text));
    return date;
}

namespace {

// People write an allow-list. The parser makes a table of every part of a dotted key and ends nested tables by
// recursion: what is larger or deeper than anyone writes is refused before.
Status check_size(std::string_view text, std::string_view file) {
    constexpr std::uint64_t kMostBytes = 4ull << 20;
    constexpr std::uint64_t kMostDots = 100;
    if (text.size() > kMostBytes) {
        return fail({.code = ErrorCode::kParseError,
                     .message = "an allow-list is no larger than 4 MiB",
                     .where = std::string(file),
                     .value = text.size(),
                     .limit = kMostBytes});
    }
    std::uint64_t line = 1;
    std::uint64_t dots = 0;
    for (const char c : text) {
        dots = c == '\n' ? 0 : dots + (c == '.' ? 1 : 0);
        line += c == '\n' ? 1 : 0;
        if (dots > kMostDots) {
            return fail({.code = ErrorCode::kParseError,
                         .message = "more dots in a line than keys of an allow-list have",
                         .where = fmt::format("{}:{}", file, line),
                         .value = dots,
                         .limit = kMostDots});
        }
    }
    return {};
}

}  // namespace

Result<AllowList> AllowList::parse(std::string_view text, std::string_view file, Date today) {
    HEAPWRIGHT_TRY(check_size(text, file));
    AllowList list;
    list.file_ = file;
    list.today_ = today;
    try {
        const toml::table document = toml::parse(text, file);
        for (const auto& [key, node] : document) {
            if (key.str() != "allow" || !node.is_array_of_tables()) {
                return at(file, key.source(), ErrorCode::kSchemaViolation,
                          fmt::format("expected [[allow]] entries, found \"{}\"", key.str()));
            }
            for (const toml::node& element : *node.as_array()) {
                HEAPWRIGHT_ASSIGN(AllowEntry entry, read_entry(*element.as_table(), file));
                list.entries_.push_back(std::move(entry));
            }
        }
    } catch (const toml::parse_error& error) {
        return at(file, error.source(), ErrorCode::kParseError, std::string(error.description()));
    } catch (const std::exception& error) {
        return fail(ErrorCode::kParseError, error.what(), std::string(file));
    }
    return list;
}

bool AllowList::is_expired(const AllowEntry& entry) const {
    return entry.expires && *entry.expires < today_;
}

std::optional<std::string> AllowList::accept(const model::DeviceIdentity& device, std::string_view path,
                                             std::string_view from, std::string_view to) {
    for (AllowEntry& entry : entries_) {
        if (is_expired(entry) || !matches_path(entry.path, path) || !selects_device(entry.device, device)) continue;
        if (!entry.driver.empty() &&
            !matches_text(entry.driver, fmt::format("{} {}", device.driver_id, device.driver_info)))
            continue;
        if ((entry.from && *entry.from != from) || (entry.to && *entry.to != to)) continue;
        ++entry.uses;
        std::string reason = fmt::format("allowed by {}:{}: {}", file_, entry.line, entry.reason);
        if (!entry.link.empty()) reason += fmt::format(" ({})", entry.link);
        return reason;
    }
    return std::nullopt;
}

std::vector<model::AllowListNote> AllowList::notes() const {
    std::vector<model::AllowListNote> notes;
    for (const AllowEntry& entry : entries_) {
        if (is_expired(entry)) {
            notes.push_back({.file = file_,
                             .line = entry.line,
                             .statement = fmt::format("the entry for {} expired on {:04}-{:02}-{:02}", entry.path,
                                                      entry.expires->year, entry.expires->month, entry.expires->day)});
        } else if (entry.uses == 0) {
            notes.push_back({.file = file_,
                             .line = entry.line,
                             .statement = fmt::format("the entry for {} allowed nothing", entry.path)});
        }
    }
    return notes;
}

}  // namespace heapwright::compare
