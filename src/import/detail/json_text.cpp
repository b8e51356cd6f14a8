#include "import/detail/json_text.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/text.hpp"

namespace heapwright::imports::detail {

namespace {

using model::detail::JsonTape;

constexpr std::string_view kSpace = " \t\r\n";

std::size_t skip_space_and_comments(std::string_view text, std::size_t at) {
    while (at < text.size()) {
        const std::string_view rest = text.substr(at);
        if (kSpace.find(rest.front()) != std::string_view::npos) {
            ++at;
        } else if (rest.starts_with("//")) {
            at = std::min(text.find('\n', at), text.size());
        } else if (rest.starts_with("/*")) {
            const std::size_t end = text.find("*/", at + 2);
            if (end == std::string_view::npos) return text.size();
            at = end + 2;
        } else {
            break;
        }
    }
    return at;
}

bool opens_json(std::string_view text, std::size_t at) {
    return at < text.size() && (text[at] == '{' || text[at] == '[');
}

bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           c == '.' || c == ' ';
}

// Where the JSON begins; nothing where none does.
std::optional<std::size_t> json_begin(std::string_view text) {
    const std::size_t first = skip_space_and_comments(text, 0);
    if (opens_json(text, first)) return first;
    std::size_t at = first;
    while (at < text.size() && is_name_character(text[at])) ++at;
    if (at == first || at == text.size()) return std::nullopt;
    if (text[at] == '=') {
        ++at;
    } else if (text.substr(first, at - first) != "export default ") {
        return std::nullopt;
    }
    at = skip_space_and_comments(text, at);
    return opens_json(text, at) ? std::optional(at) : std::nullopt;
}

// The same length and the same lines, so that an error's place is the file's.
void blank(std::string& text, std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; ++at) {
        if (text[at] != '\n') text[at] = ' ';
    }
}

std::string without_javascript(std::string_view text, std::size_t begin) {
    std::string json(text);
    blank(json, 0, begin);
    const std::size_t end = json.find_last_of("}]") + 1;
    std::size_t at = skip_space_and_comments(json, end);
    if (at < json.size() && json[at] == ';') at = skip_space_and_comments(json, at + 1);
    if (at == json.size()) blank(json, end, json.size());
    return json;
}

// A copy of a text in which the two defects are mended.
class Mender {
public:
    explicit Mender(std::string_view text) : text_(text) {}

    // Nothing where there is nothing to mend, or more than a tool's slip.
    std::optional<std::string> mended() {
        for (at_ = 0; at_ < text_.size() && count() <= kMostDefects; ++at_) step();
        if (count() == 0 || count() > kMostDefects) return std::nullopt;
        return std::move(out_);
    }

    [[nodiscard]] std::vector<std::string> defects() const {
        std::vector<std::string> sentences;
        const auto tell = [&](const Defect& defect, std::string_view one, std::string_view how) {
            if (defect.count == 0) return;
            sentences.push_back(fmt::format("the file is no sound JSON: {}, first at {}; {}",
                                            counted(defect.count, one), place(defect.first), how));
        };
        tell(control_, "unescaped control character", "read as if escaped");
        tell(key_, "list key", "lists are read without keys");
        return sentences;
    }

private:
    // A driver's description has a few lines; a list of layered APIs a few entries.
    static constexpr std::size_t kMostDefects = 1000;

    struct Defect {
        std::size_t count = 0;
        std::size_t first = 0;
    };

    static void note(Defect& defect, std::size_t at) {
        if (defect.count++ == 0) defect.first = at;
    }

    [[nodiscard]] std::size_t count() const { return control_.count + key_.count; }

    void step() {
        const char c = text_[at_];
        if (c == '"') return read_text();
        if (c == '{' || c == '[') open_.push_back(c);
        if ((c == '}' || c == ']') && !open_.empty()) open_.pop_back();
        if (kSpace.find(c) == std::string_view::npos) before_ = c;
        out_ += c;
    }

    void read_text() {
        const std::size_t begin = at_;
        const std::size_t out_begin = out_.size();
        const Defect control_before = control_;
        out_ += '"';
        for (++at_; at_ < text_.size() && text_[at_] != '"' && count() <= kMostDefects; ++at_) {
            const auto c = static_cast<unsigned char>(text_[at_]);
            if (c < 0x20) {
                note(control_, at_);
                out_ += fmt::format("\\u{:04x}", c);
            } else {
                out_ += text_[at_];
                if (c == '\\' && at_ + 1 < text_.size()) out_ += text_[++at_];
            }
        }
        if (at_ < text_.size()) out_ += '"';
        const bool in_list = !open_.empty() && open_.back() == '[' && (before_ == '[' || before_ == ',');
        before_ = '"';
        const std::size_t colon = std::min(text_.find_first_not_of(kSpace, at_ + 1), text_.size());
        if (!in_list || colon == text_.size() || text_[colon] != ':') return;
        const std::size_t value = text_.find_first_not_of(kSpace, colon + 1);
        if (value == std::string_view::npos || text_[value] == ']' || text_[value] == ',') return;
        out_.resize(out_begin);
        control_ = control_before;
        note(key_, begin);
        at_ = colon;
        before_ = ':';
    }

    [[nodiscard]] std::string place(std::size_t at) const {
        const std::string_view before = text_.substr(0, at);
        const std::size_t line_begin = before.rfind('\n') + 1;  // 0 where there is none
        return fmt::format("line {}, column {}", std::count(before.begin(), before.end(), '\n') + 1,
                           at - line_begin + 1);
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::string out_;
    std::string open_;
    char before_ = 0;
    Defect control_;
    Defect key_;
};

}  // namespace

bool is_json_text(std::string_view text) {
    return json_begin(text).has_value();
}

Result<ForeignJson> parse_json_text(std::string_view text, std::string_view source) {
    const std::size_t begin = json_begin(text).value_or(0);
    std::string plain;
    if (text.substr(0, begin).find_first_not_of(kSpace) != std::string_view::npos) {
        plain = without_javascript(text, begin);
        text = plain;
    }
    auto tape = JsonTape::parse(text, source);
    if (tape) return ForeignJson{.tape = std::move(*tape), .defects = {}};
    Mender mender(text);
    const auto mended = mender.mended();
    if (!mended) return tl::unexpected(tape.error());
    auto again = JsonTape::parse(*mended, source);
    // The places of a mended text are not the file's: the first error is.
    if (!again) return tl::unexpected(tape.error());
    return ForeignJson{.tape = std::move(*again), .defects = mender.defects()};
}

namespace {

std::optional<std::string> near_profiles(const JsonValue& root) {
    constexpr std::string_view kKind = "near to Vulkan Profiles JSON, but";
    const auto holds = [&root](std::string_view key) {
        const auto value = root.find(key);
        return value && (value->is_object() || value->is_array());
    };
    if (holds("profiles")) return fmt::format("{} it lacks \"capabilities\"", kKind);
    if (holds("capabilities")) return fmt::format("{} it lacks \"profiles\"", kKind);
    if (text_of(root.find("$schema")).find("/vulkan/profiles") == std::string::npos) return std::nullopt;
    return "this is a Vulkan profile that states nothing: it has neither \"profiles\" nor \"capabilities\"; "
           "vulkaninfo --json writes the profile of a device";
}

std::optional<std::string> near_gpuinfo(const JsonValue& root) {
    if (root.find("properties", "deviceName")) {
        return "near to gpuinfo.org JSON and vkjson, but it lacks \"environment\" of the one and \"features\", "
               "\"memory\" and \"queues\" of the other";
    }
    if (!root.find("environment") || !(root.find("extended") || root.find("core11") || root.find("memory"))) {
        return std::nullopt;
    }
    return "near to gpuinfo.org JSON, but it lacks \"properties\" with \"deviceName\"";
}

std::optional<std::string> near_d3d12info(const JsonValue& root) {
    const bool adapter = root.find("DXGI_ADAPTER_DESC3").has_value();
    const bool header = text_of(root.find("Header", "Program")) == "D3d12info";
    if (!adapter && !header) return std::nullopt;
    return fmt::format("near to D3d12info JSON, but it lacks \"Adapters\"{}",
                       adapter ? ": it is one entry of them alone" : "");
}

}  // namespace

std::optional<std::string> nearest_json_kind(const JsonValue& root) {
    if (auto near = near_profiles(root)) return near;
    if (auto near = near_gpuinfo(root)) return near;
    return near_d3d12info(root);
}

}  // namespace heapwright::imports::detail
