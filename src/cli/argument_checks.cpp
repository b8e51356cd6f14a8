#include "heapwright/cli/argument_checks.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>

#include "heapwright/core/byte_text.hpp"
#include "heapwright/core/file.hpp"
#include "heapwright/core/path.hpp"

namespace heapwright::cli {
namespace {

template <class Number>
std::optional<Number> number(const std::string& text) {
    Number value{};
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
    return value;
}

// CLI11 takes an empty text for "valid".
CLI::Validator validator(std::function<std::string(std::string&)> check) {
    return {std::move(check), ""};
}

}  // namespace

CLI::Validator whole_number() {
    return validator([](std::string& text) {
        const auto value = number<std::uint64_t>(text);
        if (!value) return fmt::format("'{}' is no whole number from 0 to {}", text, ~0ull);
        text = std::to_string(*value);
        return std::string();
    });
}

CLI::Validator number_between(double least, double most) {
    return validator([least, most](const std::string& text) {
        const auto value = number<double>(text);
        return value && *value >= least && *value <= most
                   ? std::string()
                   : fmt::format("'{}' is no number from {:g} to {:g}", text, least, most);
    });
}

CLI::Validator seconds() {
    static constexpr double kYear = 365.0 * 24 * 60 * 60;
    return validator([](const std::string& text) {
        const auto value = number<double>(text);
        return value && *value > 0 && *value <= kYear
                   ? std::string()
                   : fmt::format("'{}' is no number of seconds above 0 and up to {:.0f}", text, kYear);
    });
}

CLI::Validator byte_count() {
    return validator([](std::string& text) {
        const auto bytes = parse_byte_count(text);
        if (!bytes) return bytes.error().message;
        if (*bytes == 0) return fmt::format("'{}' is below the least size, 1 byte", text);
        text = std::to_string(*bytes);
        return std::string();
    });
}

namespace {

// Empty: the file could be written, or is standard output.
std::string objection_to_writing(const std::string& text) {
    const Status writable = text == "-" ? Status() : check_writable(text);
    return writable ? std::string() : to_string(writable.error());
}

}  // namespace

CLI::Validator writable_file() {
    return validator(objection_to_writing);
}

CLI::Validator writable_file_or_folder() {
    return validator(
        [](const std::string& text) { return is_folder(path_of(text)) ? std::string() : objection_to_writing(text); });
}

void refuse_empty_values(CLI::App& program) {
    for (CLI::Option* option : program.get_options([](const CLI::Option*) { return true; })) {
        if (option->get_items_expected_max() == 0) continue;
        option->check(validator([](const std::string& text) { return text.empty() ? "is empty" : std::string(); }));
    }
    for (CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
        refuse_empty_values(*command);
    }
}

}  // namespace heapwright::cli
