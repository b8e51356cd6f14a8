#include "core/breadcrumb.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

namespace heapwright {
namespace {

std::string text_at(const char* place, std::size_t most_bytes) {
    const auto* end = static_cast<const char*>(std::memchr(place, '\0', most_bytes));
    return {place, end == nullptr ? most_bytes : static_cast<std::size_t>(end - place)};
}

// The first byte is cleared first and set last, so that a reader never sees two texts mixed.
void write_text(char* place, std::size_t most_bytes, std::string_view text) noexcept {
    *static_cast<volatile char*>(place) = '\0';
    const std::size_t bytes = std::min(text.size(), most_bytes - 1);
    place[bytes] = '\0';
    if (bytes > 1) std::memcpy(place + 1, text.data() + 1, bytes - 1);
    if (bytes > 0) *static_cast<volatile char*>(place) = text[0];
}

constexpr std::size_t kCallsAt = kBreadcrumbBytes + kStepBytes;

// A thread's place in the page, from its first call to its end.
class CallPlace {
public:
    CallPlace() {
        for (std::size_t i = 0; i < kCallThreads; ++i) {
            if (taken[i].exchange(true)) continue;
            index_ = i;
            return;
        }
    }
    ~CallPlace() {
        if (index_ == kCallThreads) return;
        write({});
        taken[index_] = false;
    }
    CallPlace(const CallPlace&) = delete;
    CallPlace& operator=(const CallPlace&) = delete;

    void write(std::string_view call) const noexcept {
        char* const page = detail::breadcrumb_page;
        if (page == nullptr || index_ == kCallThreads) return;
        write_text(page + kCallsAt + index_ * kCallBytes, kCallBytes, call);
    }

private:
    static inline std::array<std::atomic<bool>, kCallThreads> taken{};
    std::size_t index_ = kCallThreads;
};

thread_local CallPlace call_place;

}  // namespace

char* detail::breadcrumb_page = nullptr;

void set_breadcrumb_page(char* page) noexcept {
    detail::breadcrumb_page = page;
    call_place.write({});  // this thread has the first place
}

void detail::write_breadcrumb(std::string_view call, std::string_view detail) noexcept {
    char* const page = breadcrumb_page;
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
    call_place.write({});
}

void detail::write_call(std::string_view call) noexcept {
    call_place.write(call);
}

void leave_step(std::string_view step) noexcept {
    if (detail::breadcrumb_page != nullptr) write_text(detail::breadcrumb_page + kBreadcrumbBytes, kStepBytes, step);
}

std::string read_breadcrumb(const char* page) {
    std::string breadcrumb = text_at(page, kBreadcrumbBytes);
    std::string call = text_at(page + kCallsAt, kCallBytes);
    if (call.empty()) return breadcrumb;
    const std::string_view left = std::string_view(breadcrumb).substr(0, breadcrumb.find(": "));
    if (left == call) return breadcrumb;
    const bool names_a_call = left.find(' ') == std::string_view::npos;
    return names_a_call ? call : call + ": " + breadcrumb;
}

std::string read_other_calls(const char* page) {
    std::string calls;
    for (std::size_t i = 1; i < kCallThreads; ++i) {
        const std::string call = text_at(page + kCallsAt + i * kCallBytes, kCallBytes);
        if (!call.empty()) calls += (calls.empty() ? "" : ", ") + call;
    }
    return calls;
}

std::string read_step(const char* page) {
    return text_at(page + kBreadcrumbBytes, kStepBytes);
}

}  // namespace heapwright
