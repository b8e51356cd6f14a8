// Keeps a driver loaded until the test run ends. The loader unloads it with the process's last instance, and what a
// driver keeps for each thread may be lost then: NVIDIA's 580.159 came up 28 times in one process and every
// instance after that was refused (VK_ERROR_INCOMPATIBLE_DRIVER); SwiftShader has lost a thread-specific key at each
// unloading (flutter/flutter, issue 138028). A program opens a driver a few times; these tests do so for each case and
// form.
#pragma once

#include <string>

#include "heapwright/core/result.hpp"

namespace heapwright::test {

// Errors: those of vulkan::Instance::create(). Does nothing for a driver that is kept already.
[[nodiscard]] Status keep_loaded(const std::string& manifest);

}  // namespace heapwright::test
