// What the stand-ins for the libraries of the Windows Subsystem for Linux say, and what their test looks for.
#pragma once

#include <cstdint>

namespace heapwright::test {

inline constexpr char kFakeName[] = "Stand-in adapter";
inline constexpr char kFakeSoftwareName[] = "Stand-in software adapter";
inline constexpr std::uint32_t kFakeVendor = 0x1414;
inline constexpr std::uint32_t kFakeDevice = 0x008e;
inline constexpr std::uint64_t kFakeDriverVersion = 0x001f'0000'000f'0e2aull;  // 31.0.15.3626
inline constexpr std::uint32_t kFakeLuidHigh = 0x12;
inline constexpr std::uint32_t kFakeLuidLow = 0x3456789a;
inline constexpr std::uint64_t kFakeLocalBytes = 3ull << 30;
inline constexpr std::uint64_t kFakeSharedBytes = 5ull << 30;
inline constexpr std::uint64_t kFakeLocalBudget = 2ull << 30;
inline constexpr std::uint64_t kFakeLocalUsage = 7ull << 20;
inline constexpr std::uint64_t kFakeSharedBudget = 4ull << 30;

// Sizes round up to these, so that no answer is one of a real runtime.
inline constexpr std::uint64_t kFakeTextureGranule = 3ull * 65536;
inline constexpr std::uint64_t kFakeBufferGranule = 5ull * 65536;
inline constexpr std::uint32_t kFakeMostSamplers = 2999;
inline constexpr std::uint32_t kFakeDescriptorBytes = 48;

}  // namespace heapwright::test
