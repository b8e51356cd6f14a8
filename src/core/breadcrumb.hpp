// The last driver call, left where another process can read it. A probe runs drivers in a child process; before a call
// that may crash it leaves the call's name here, and after a crash the parent reads which one it was.
// Beside it stands the step of the probe that the call belongs to, so that a new process can leave that step out.
// Nothing is left before set_breadcrumb_page() names the shared memory, so that threads of a program without such a
// reader write nothing that they share. One probing thread a process.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heapwright {

inline constexpr std::size_t kBreadcrumbBytes = 512;
inline constexpr std::size_t kStepBytes = 128;
inline constexpr std::size_t kPageBytes = kBreadcrumbBytes + kStepBytes;

namespace detail {
extern char* breadcrumb_page;  // null: nobody reads
void write_breadcrumb(std::string_view call, std::string_view about) noexcept;
}  // namespace detail

// `page` holds kPageBytes and outlives every later call.
void set_breadcrumb_page(char* page) noexcept;

// Truncates what does not fit. Costs a copy of the text, no allocation.
inline void leave_breadcrumb(std::string_view call, std::string_view about = {}) noexcept {
    if (detail::breadcrumb_page != nullptr) detail::write_breadcrumb(call, about);
}

// The step that is taken from here on, "image sweep/17"; empty: none.
void leave_step(std::string_view step) noexcept;

// The text of a page, "vkCreateImage: R8G8B8A8_UNORM 128x128", empty when none was left.
[[nodiscard]] std::string read_breadcrumb(const char* page);
[[nodiscard]] std::string read_step(const char* page);

}  // namespace heapwright
