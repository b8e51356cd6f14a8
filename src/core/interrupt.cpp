#include "core/interrupt.hpp"

#include <csignal>

namespace heapwright {
namespace {

volatile std::sig_atomic_t g_interrupted = 0;

extern "C" {
// Of this file alone, although its calling convention is C's.
static void on_signal(int signal_number) {
    g_interrupted = 1;
    std::signal(signal_number, SIG_DFL);
}
}

}  // namespace

void install_interrupt_handlers() {
    std::signal(SIGINT, on_signal);
    std::signal(SIGTERM, on_signal);
#ifndef _WIN32
    if (std::signal(SIGHUP, on_signal) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // nohup's wish
    std::signal(SIGPIPE, SIG_IGN);
#endif
}

bool interrupted() noexcept {
    return g_interrupted != 0;
}

Status check_interrupted() {
    if (interrupted()) return fail(ErrorCode::kInterrupted, "interrupted by a signal");
    return {};
}

}  // namespace heapwright
