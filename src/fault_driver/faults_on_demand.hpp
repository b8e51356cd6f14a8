// What the fault driver (Vulkan) and the fault runtime (Direct3D 12) share: which fault is due at which call, and gates
// through which every call is led. A gate is machine code, so that it fits functions of any signature without knowing
// it.
//
//   caller -> gate (count; fault?) -> the real function
//
// HEAPWRIGHT_FAULT         faults, separated by ';': FUNCTION@CALL=FAULT. CALL counts from 1; "3+" is from the third
// on.
//                          FUNCTION may be '*', all functions together. FAULT is one of
//                            crash  a write to address 0        abort  abort()
//                            hang   never returns, idle         spin   never returns, busy
//                            fork   a helper that sleeps for ever and holds what is open; then the real call
//                            leave  such a helper in a session of its own; then the real call
//                            exit   exit code 3                 a number: given back, nothing is called
//                            twice  the real call is made twice
//                            barrier  behind the real call, which records a command, a barrier of everything
//                            in-turn  the real call, whose work waits for that of the call before, whatever its queue
//                            zero-size, larger, odd-alignment, no-types, odd-name: of functions that give such an
//                            answer
//                          The first line of a file LIBRARY.fault beside the library goes before it: so several
//                          drivers, each a copy of or a link to the library, fail in a way of their own in one run.
// HEAPWRIGHT_FAULT_COUNTS  a file to which each process appends "FUNCTION CALLS" lines when it ends
//
// x86-64 Linux alone. Source: System V AMD64 ABI, 3.2, and Microsoft's x64 calling convention (which registers carry
// arguments). Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#if !defined(__x86_64__) || defined(_WIN32)
#error "the gates are machine code of x86-64 Linux"
#endif

namespace heapwright::fault_driver {

using Function = void (*)();

enum class Fault : std::uint8_t {
    kCrash,
    kAbort,
    kHang,
    kSpin,
    kFork,
    kLeave,
    kExit,
    kResult,
    // The real call, and more beside it.
    kTwice,
    kBarrier,
    kInTurn,
    // From here on the answer of the real call is changed.
    kZeroSize,
    kLarger,
    kOddAlignment,
    kNoTypes,
    kOddName
};

struct Order {
    std::string function;
    std::uint64_t call = 1;
    bool and_later = false;
    Fault fault = Fault::kCrash;
    std::int32_t result = 0;
};

// The functions of Vulkan drivers follow System V's convention, COM's methods on Linux Microsoft's.
enum class Convention : std::uint8_t { kSystemV, kMicrosoft };

struct Gate {
    std::string name;
    Function real = nullptr;
    Function entry = nullptr;
    std::vector<Order> orders;
    std::atomic<std::uint64_t>* calls = nullptr;  // of all gates of this name
};

// Prints why, and aborts.
[[noreturn]] void give_up(const std::string& why);

// Empty where it is not set.
[[nodiscard]] std::string environment(const char* name);

class Gates {
public:
    [[nodiscard]] static Gates& get();

    // Null for null. The same for the same name and function.
    [[nodiscard]] Function gate_to(const char* name, Function real, Convention convention);

    // Counts a call and misbehaves where that is due. The order that changes what the caller gets; else null.
    [[nodiscard]] const Order* take_call(Gate& gate);

    // The real function of a gate that was made; null without one.
    [[nodiscard]] Function real_of(const char* name);

    // To HEAPWRIGHT_FAULT_COUNTS.
    void write_counts() const;

private:
    Gates();
    ~Gates();
    [[nodiscard]] Function make_entry(Gate& gate, Convention convention);

    std::mutex mutex_;
    std::vector<Order> orders_;
    std::map<std::pair<std::string, Function>, std::unique_ptr<Gate>> gates_;
    std::map<std::string, std::atomic<std::uint64_t>> calls_;
    std::atomic<std::uint64_t> all_calls_{0};
    unsigned char* page_ = nullptr;
    std::size_t page_left_ = 0;
};

// What a handler gives for the real function to follow; else what the gate gives back.
inline constexpr std::uint64_t kGoOn = ~0ull;

}  // namespace heapwright::fault_driver

// What a gate calls first; the driver and the runtime have one of their own each. System V: the six integer arguments
// that registers carry. Microsoft: all arguments, and where the caller goes on.
extern "C" {
__attribute__((visibility("hidden"))) std::uint64_t heapwright_fault_handler(void* gate, std::uint64_t* arguments);
__attribute__((visibility("hidden"), ms_abi)) std::uint64_t heapwright_fault_method_handler(void* gate,
                                                                                            std::uint64_t* arguments,
                                                                                            const void* caller);
}
