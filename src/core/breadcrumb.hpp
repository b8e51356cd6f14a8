// The last driver call, left where another process can read it. A probe runs drivers in a child process; before a call
// that may crash it leaves the call's name here, and after a crash the parent reads which one it was.
// Beside it stands the step of the probe that the call belongs to, so that a new process can leave that step out.
// Nothing is left before set_breadcrumb_page() names the shared memory, so that threads of a program without such a
// reader write nothing that they share. One probing thread a process, the one that names the memory; the calls of up to
// three others stand beside its own.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heapwright {

inline constexpr std::size_t kBreadcrumbBytes = 512;
inline constexpr std::size_t kStepBytes = 128;
inline constexpr std::size_t kCallBytes = 64;
inline constexpr std::size_t kCallThreads = 4;
inline constexpr std::size_t kPageBytes = kBreadcrumbBytes + kStepBytes + kCallThreads * kCallBytes;

namespace detail {
extern char* breadcrumb_page;  // null: nobody reads
void write_breadcrumb(std::string_view call, std::string_view about) noexcept;
void write_call(std::string_view call) noexcept;
}  // namespace detail

// `page` holds kPageBytes and outlives every later call.
void set_breadcrumb_page(char* page) noexcept;

// Truncates what does not fit. Costs a copy of the text, no allocation.
inline void leave_breadcrumb(std::string_view call, std::string_view about = {}) noexcept {
    if (detail::breadcrumb_page != nullptr) detail::write_breadcrumb(call, about);
}

// A call that says nothing about what it is for: cheap enough before each one. It stands until the thread's next call
// or breadcrumb, or until the thread ends.
inline void leave_call(std::string_view call) noexcept {
    if (detail::breadcrumb_page != nullptr) detail::write_call(call);
}

// The step that is taken from here on, "image sweep/17"; empty: none.
void leave_step(std::string_view step) noexcept;

// The probing thread's last call, empty when none was left: "vkCreateImage: R8G8B8A8_UNORM 128x128". After a breadcrumb
// that names no call but an undertaking, "vkQueueSubmit: measuring the engines".
[[nodiscard]] std::string read_breadcrumb(const char* page);
// The last calls of the other threads that have not ended, "vkWaitSemaphores, vkSignalSemaphore".
[[nodiscard]] std::string read_other_calls(const char* page);
[[nodiscard]] std::string read_step(const char* page);

}  // namespace heapwright
