#include "compare/glob.hpp"

#include <cstddef>

namespace heapwright::compare {
namespace {

struct Split {
    std::string_view first;
    std::string_view rest;
};

// "/a/b" -> "a", "/b".
Split split(std::string_view path) {
    if (path.starts_with('/')) path.remove_prefix(1);
    const std::size_t slash = path.find('/');
    if (slash == std::string_view::npos) return {path, {}};
    return {path.substr(0, slash), path.substr(slash)};
}

}  // namespace

bool matches_text(std::string_view pattern, std::string_view text) {
    std::size_t at = 0;
    std::size_t in_text = 0;
    std::size_t star = std::string_view::npos;
    std::size_t resume = 0;
    while (in_text < text.size()) {
        if (at < pattern.size() && pattern[at] == '*') {
            star = at++;
            resume = in_text;
        } else if (at < pattern.size() && pattern[at] == text[in_text]) {
            ++at;
            ++in_text;
        } else if (star != std::string_view::npos) {
            at = star + 1;
            in_text = ++resume;
        } else {
            return false;
        }
    }
    while (at < pattern.size() && pattern[at] == '*') ++at;
    return at == pattern.size();
}

bool matches_path(std::string_view pattern, std::string_view path) {
    while (!pattern.empty()) {
        const Split wanted = split(pattern);
        if (wanted.first == "**") {
            for (std::string_view rest = path;; rest = split(rest).rest) {
                if (matches_path(wanted.rest, rest)) return true;
                if (rest.empty()) return false;
            }
        }
        if (path.empty()) return false;
        const Split found = split(path);
        if (!matches_text(wanted.first, found.first)) return false;
        pattern = wanted.rest;
        path = found.rest;
    }
    return path.empty();
}

}  // namespace heapwright::compare
