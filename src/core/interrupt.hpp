// Cooperative interruption. SIGINT, SIGTERM and SIGHUP set a flag; long work asks for it between steps and unwinds
// through Result with ErrorCode::kInterrupted, so that destructors free what the device holds.
#pragma once

#include "heapwright/core/result.hpp"

namespace heapwright {

// Installs the handlers; a second signal ends the process at once. Writing to a closed pipe becomes an error of the
// write (SIGPIPE is ignored), which its caller tells or does not.
void install_interrupt_handlers();

[[nodiscard]] bool interrupted() noexcept;

// kInterrupted when a signal has come, success otherwise.
[[nodiscard]] Status check_interrupted();

}  // namespace heapwright
