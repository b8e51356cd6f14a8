// Keeps a driver loaded until the test run ends. The loader unloads it with the process's last instance, which not
// every driver bears often: NVIDIA's 580.159 came up 28 times in one process, then every instance was refused
// (VK_ERROR_INCOMPATIBLE_DRIVER), and SwiftShader loses a thread-specific key each time (flutter/flutter, issue
// 138028). The program opens a driver a few times in one process; these tests do so for each case and form.
#pragma once

#include <string>

#include "heapwright/core/result.hpp"

namespace heapwright::test {

// Errors: those of vulkan::Instance::create(). Does nothing for a driver that is kept already.
[[nodiscard]] Status keep_loaded(const std::string& manifest);

}  // namespace heapwright::test
