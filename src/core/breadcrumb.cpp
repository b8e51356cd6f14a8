#include "heapwright/core/breadcrumb.hpp"

#include <algorithm>
#include <cstring>

namespace heapwright {
namespace {

std::string text_at(const char* place, std::size_t most_bytes) {
    const auto* end = static_cast<const char*>(std::memchr(place, '\0', most_bytes));
    return {place, end == nullptr ? most_bytes : static_cast<std::size_t>(end - place)};
}

}  // namespace

char* detail::breadcrumb_page = nullptr;

void set_breadcrumb_page(char* page) noexcept {
    detail::breadcrumb_page = page;
}

void detail::write_breadcrumb(std::string_view call, std::string_view detail) noexcept {
    char* const page = breadcrumb_page;
    // The first byte is cleared first and set last, so that a reader never sees two texts mixed.
    page[0] = '\0';
    const std::size_t call_bytes = std::min(call.size(), kBreadcrumbBytes - 3);
    const std::size_t detail_bytes = detail.empty() ? 0 : std::min(detail.size(), kBreadcrumbBytes - 3 - call_bytes);
    std::size_t end = call_bytes;
    if (detail_bytes != 0) {
        std::memcpy(page + end, ": ", 2);
        std::memcpy(page + end + 2, detail.data(), detail_bytes);
        end += 2 + detail_bytes;
    }
    page[end] = '\0';
    if (call_bytes > 1) std::memcpy(page + 1, call.data() + 1, call_bytes - 1);
    if (call_bytes > 0) *static_cast<volatile char*>(page) = call[0];
}

void leave_step(std::string_view step) noexcept {
    if (detail::breadcrumb_page == nullptr) return;
    char* place = detail::breadcrumb_page + kBreadcrumbBytes;
    place[0] = '\0';
    const std::size_t bytes = std::min(step.size(), kStepBytes - 1);
    place[bytes] = '\0';
    if (bytes > 1) std::memcpy(place + 1, step.data() + 1, bytes - 1);
    if (bytes > 0) *static_cast<volatile char*>(place) = step[0];
}

std::string read_breadcrumb(const char* page) {
    return text_at(page, kBreadcrumbBytes);
}

std::string read_step(const char* page) {
    return text_at(page + kBreadcrumbBytes, kStepBytes);
}

}  // namespace heapwright
