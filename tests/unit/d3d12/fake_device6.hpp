// A device of Direct3D 12 that has ID3D12Device6, as a table of functions in the order of the interface's own
// declaration for C. What the runtime answers, the test says. No Direct3D header: the test uses the declaration for
// C++, and the two cannot meet in one file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace heapwright::test {

struct BackgroundCall {
    int mode = 0;
    int action = 0;
    void* event = nullptr;
    bool wants_answer = false;

    friend bool operator==(const BackgroundCall&, const BackgroundCall&) = default;
};

struct FakeAnswer {
    std::int32_t result = 0;  // HRESULT
    bool more = false;
};

struct FakeScript {
    bool has_device6 = true;
    bool knows_options6 = true;
    bool background_processing_supported = true;
    std::int32_t removed_reason = 0;
    std::function<FakeAnswer(const BackgroundCall&)> set_background_processing_mode = [](const BackgroundCall&) {
        return FakeAnswer{};
    };
};

class FakeDevice6 {
public:
    explicit FakeDevice6(FakeScript given);
    FakeDevice6(const FakeDevice6&) = delete;
    FakeDevice6& operator=(const FakeDevice6&) = delete;
    ~FakeDevice6();

    // An ID3D12Device*.
    [[nodiscard]] void* get();

    FakeScript script;
    std::vector<BackgroundCall> calls;
    long references = 1;

private:
    struct Object;
    Object* object_;
};

// Of ID3D12Device6, by its declaration for C.
struct Device6Layout {
    std::size_t methods = 0;
    std::size_t set_background_processing_mode = 0;  // its place in the table, from 0
};
[[nodiscard]] Device6Layout device6_layout();

}  // namespace heapwright::test
