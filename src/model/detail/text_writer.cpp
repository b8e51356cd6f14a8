#include "model/detail/text_writer.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "core/utf8.hpp"

namespace heapwright::model::detail {
namespace {

void append_escaped(std::string& out, std::string_view text) {
    constexpr std::string_view kHexadecimal = "0123456789abcdef";
    constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD, for bytes of a driver that are not UTF-8
    std::size_t at = 0;
    while (at < text.size()) {
        const char c = text[at];
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (byte < 0x20) {
            out += "\\u00";
            out += kHexadecimal[byte >> 4];
            out += kHexadecimal[byte & 15];
        } else if (const std::size_t length = utf8_sequence_bytes(text, at); length != 0) {
            out += text.substr(at, length);
            at += length;
            continue;
        } else {
            out += kReplacement;
        }
        ++at;
    }
}

template <class T>
void append_number(std::string& out, T value) {
    std::array<char, 32> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    out.append(buffer.data(), end);
}

}  // namespace

void TextWriter::new_line() {
    text_ += '\n';
    text_.append(2 * levels_.size(), ' ');
}

void TextWriter::separate() {
    if (after_key_) {
        after_key_ = false;
        return;
    }
    if (levels_.empty()) return;
    Level& level = levels_.back();
    if (level.rows) {
        if (!level.empty) text_ += ", ";
        if (level.per_line != 0 && level.count % level.per_line == 0) {
            if (!level.empty) text_.pop_back();
            new_line();
        }
    } else if (level.one_line) {
        if (!level.empty) text_ += ", ";
    } else {
        if (!level.empty) text_ += ',';
        new_line();
    }
    level.empty = false;
    ++level.count;
}

void TextWriter::begin(char bracket, bool one_line) {
    const bool inherited = !levels_.empty() && (levels_.back().one_line || levels_.back().rows);
    separate();
    text_ += bracket;
    levels_.push_back({.one_line = one_line || inherited, .start = text_.size()});
}

void TextWriter::end(char bracket) {
    const Level level = levels_.back();
    levels_.pop_back();
    if (!level.one_line && !level.empty) new_line();
    text_ += bracket;
}

void TextWriter::begin_rows(std::size_t per_line) {
    const bool inherited = !levels_.empty() && (levels_.back().one_line || levels_.back().rows);
    separate();
    text_ += '[';
    levels_.push_back(
        {.one_line = inherited, .rows = !inherited, .per_line = inherited ? 0 : per_line, .start = text_.size()});
}

void TextWriter::end_rows() {
    const Level level = levels_.back();
    if (level.rows && level.per_line == 0) wrap_rows(level);
    levels_.pop_back();
    if (level.rows && level.per_line != 0 && !level.empty) new_line();
    text_ += ']';
}

void TextWriter::wrap_rows(const Level& level) {
    const std::size_t line_start = text_.rfind('\n', level.start) + 1;
    if (text_.size() + 2 - line_start <= kLineWidth) return;
    const std::string items = text_.substr(level.start);
    text_.resize(level.start);
    const std::size_t width = kLineWidth - 2 * levels_.size();
    std::size_t at = 0;
    while (at < items.size()) {
        std::size_t stop = items.size();
        if (items.size() - at > width) {
            // An item may hold ", " itself (a pair), so break only where no bracket is open.
            int depth = 0;
            std::size_t last = 0;
            for (std::size_t i = at; i < items.size(); ++i) {
                if (items[i] == '[') ++depth;
                if (items[i] == ']') --depth;
                if (items[i] == ',' && depth == 0) {
                    if (i + 1 - at > width && last != 0) break;
                    last = i + 1;
                    if (i + 1 - at > width) break;
                }
            }
            if (last != 0) stop = last;
        }
        new_line();
        text_.append(items, at, stop - at);
        at = stop;
        if (at < items.size()) ++at;
    }
    levels_.pop_back();
    new_line();
    levels_.push_back(level);
}

void TextWriter::key(std::string_view name) {
    separate();
    text_ += '"';
    append_escaped(text_, name);
    text_ += "\": ";
    after_key_ = true;
}

void TextWriter::number(std::uint64_t value) {
    separate();
    append_number(text_, value);
}

void TextWriter::signed_number(std::int64_t value) {
    separate();
    append_number(text_, value);
}

void TextWriter::real(double value) {
    if (!std::isfinite(value)) return raw("null");
    separate();
    append_number(text_, value == 0 ? 0.0 : value);
}

void TextWriter::string(std::string_view value) {
    separate();
    text_ += '"';
    append_escaped(text_, value);
    text_ += '"';
}

void TextWriter::raw(std::string_view text) {
    separate();
    text_ += text;
}

std::string TextWriter::take() {
    text_ += '\n';
    return std::move(text_);
}

}  // namespace heapwright::model::detail
