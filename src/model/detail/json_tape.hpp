// A parsed JSON text as one flat array of nodes in document order: what the strict reader walks. Rejects malformed
// text, bytes that are not UTF-8, duplicate keys and nesting deeper than kMaxDepth. A text whose values would take more
// memory than its size allows is refused before any of them is stored: two bytes of a text can be a value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heapwright/core/result.hpp"

namespace heapwright::model::detail {

enum class NodeKind : std::uint8_t { kNull, kBool, kUnsigned, kNegative, kTooLarge, kReal, kString, kArray, kObject };

[[nodiscard]] std::string_view to_string(NodeKind kind);

struct Node {
    NodeKind kind = NodeKind::kNull;
    std::uint32_t key_length = 0;
    std::uint64_t key_offset = 0;
    union {
        std::uint64_t number = 0;  // kBool, kUnsigned
        std::int64_t negative;     // kNegative
        double real;
        std::uint64_t text_offset;  // kString
        std::uint64_t child_count;  // kArray, kObject
    };
    std::uint32_t text_length = 0;
    std::uint32_t next = 0;  // index of the node after this one and all that it holds
};

class JsonTape {
public:
    static constexpr std::size_t kMaxDepth = 32;

    // `with_comments`: // and /* */ are skipped, for documents that people write.
    // Errors: kParseError; `where` is the source with line and column.
    [[nodiscard]] static Result<JsonTape> parse(std::string_view text, std::string_view source,
                                                bool with_comments = false);

    // What a document of `text_bytes` may take in memory beside its text: the tape and the values that are read from
    // it. A short one takes little, so that many can be read at once.
    static constexpr std::uint64_t kMostSpareBytes = 144ull << 20;
    static constexpr std::uint64_t kLeastSpareBytes = 4ull << 20;
    static constexpr std::uint64_t kSpareOfEachByte = 24;
    [[nodiscard]] static constexpr std::uint64_t budget_bytes(std::uint64_t text_bytes) {
        return text_bytes + std::min(kMostSpareBytes, kLeastSpareBytes + kSpareOfEachByte * text_bytes);
    }
    // What is left of it.
    [[nodiscard]] std::uint64_t spare_bytes() const { return spare_bytes_; }

    [[nodiscard]] const Node& node(std::uint32_t index) const { return nodes_[index]; }
    [[nodiscard]] std::string_view key(const Node& node) const {
        return std::string_view(strings_).substr(node.key_offset, node.key_length);
    }
    [[nodiscard]] std::string_view text(const Node& node) const {
        return std::string_view(strings_).substr(node.text_offset, node.text_length);
    }

private:
    friend class TapeBuilder;

    std::uint64_t spare_bytes_ = 0;
    std::vector<Node> nodes_;
    std::string strings_;
};

}  // namespace heapwright::model::detail
