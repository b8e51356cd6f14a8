// One line of a recording, taken field by field from the left. The first failure stays, so that a reader reads as the
// format does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "heapwright/core/error.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::workload {

// Takes one line off the text, without its end.
[[nodiscard]] std::string_view take_recorded_line(std::string_view& text);

class RecordingLine {
public:
    RecordingLine(std::string_view line, std::string_view source, std::uint64_t number)
        : rest_(line), source_(source), number_(number) {}

    [[nodiscard]] std::string_view field();
    [[nodiscard]] std::uint64_t number(std::uint64_t smallest, std::uint64_t largest);
    [[nodiscard]] std::uint32_t small_number(std::uint32_t smallest = 0, std::uint32_t largest = ~0u);
    // An address in hexadecimal; 0 for "(nil)" and nothing.
    [[nodiscard]] std::uint64_t address();
    [[nodiscard]] static std::optional<std::uint64_t> parse_address(std::string_view text);

    // At the field that was taken last.
    void refuse(std::string message);
    [[nodiscard]] Status finish();
    [[nodiscard]] bool is_good() const { return !error_; }
    [[nodiscard]] std::string place() const { return "line " + std::to_string(number_); }

private:
    std::string_view rest_;
    std::string_view source_;
    std::uint64_t number_;
    std::uint32_t column_ = 0;
    bool at_end_ = false;
    std::optional<Error> error_;
};

}  // namespace heapwright::workload
