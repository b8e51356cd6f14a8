// Byte-stable JSON text: two spaces a level, scalar arrays on one line up to kLineWidth columns and wrapped beyond it.
// The caller opens and closes in order; the writer places commas, line breaks and indentation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heapwright::model::detail {

class TextWriter {
public:
    static constexpr std::size_t kLineWidth = 120;

    void begin_object(bool one_line = false) { begin('{', one_line); }
    void begin_array(bool one_line = false) { begin('[', one_line); }
    void end_object() { end('}'); }
    void end_array() { end(']'); }
    void key(std::string_view name);

    void boolean(bool value) { raw(value ? "true" : "false"); }
    void number(std::uint64_t value);
    void signed_number(std::int64_t value);
    void real(double value);  // shortest text that reads back equal; not finite: null, which no reader takes
    void string(std::string_view value);
    void raw(std::string_view text);

    // Begins an array of short scalars that share lines: `per_line` on each when not 0, else as many as fit.
    void begin_rows(std::size_t per_line);
    void end_rows();

    [[nodiscard]] std::string take();

private:
    struct Level {
        bool one_line = false;
        bool empty = true;
        bool rows = false;
        std::size_t per_line = 0;
        std::size_t count = 0;
        std::size_t start = 0;  // of the text, behind the bracket
    };

    void begin(char bracket, bool one_line);
    void end(char bracket);
    void separate();
    void new_line();
    void wrap_rows(const Level& level);

    std::string text_;
    std::vector<Level> levels_;
    bool after_key_ = false;
};

}  // namespace heapwright::model::detail
