#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

#include <fmt/format.h>

#include "contract/bucket_choice.hpp"
#include "heapwright/core/result.hpp"

using namespace heapwright;
using contract::Relief;

namespace {

// Writes down what is tried; the device gives way at one step.
struct Scripted {
    std::string gives_at;
    ErrorCode error = ErrorCode::kOutOfDeviceMemory;
    std::uint64_t relieved_bytes = 1;
    std::vector<std::string> tried = {};

    std::uint64_t give_back(Relief relief, ErrorCode met) {
        CHECK(met == error);
        tried.push_back(fmt::format("relief {}", static_cast<int>(relief)));
        return relieved_bytes;
    }
    Result<int> allocate(std::uint64_t shrink) {
        tried.push_back(fmt::format("/{}", shrink));
        if (tried.back() == gives_at || std::to_string(tried.size()) == gives_at) return 1;
        return fail(error, "no room");
    }
    [[nodiscard]] std::uint64_t usual_chunk_bytes() const { return 1000; }
    std::optional<int> allocate_beside() {
        tried.emplace_back("beside");
        return gives_at == "beside" ? std::optional(2) : std::nullopt;
    }
};

using Steps = std::vector<std::string>;

}  // namespace

TEST_CASE("memory is tried in the contract's order") {
    Scripted memory{.gives_at = "beside"};
    const auto found = contract::try_memory_type(memory, 100);
    REQUIRE(found);
    CHECK(*found == 2);
    CHECK(memory.tried == Steps{"/1", "relief 0", "/1", "relief 1", "/1", "relief 2", "/1", "relief 3", "/1",
                                "relief 4", "/1", "/2", "/4", "/8", "/1000", "beside"});
}

TEST_CASE("each step ends the search when it succeeds") {
    struct Case {
        std::string gives_at;
        Steps tried;
    };
    for (const Case& one :
         {Case{"1", {"/1"}}, Case{"3", {"/1", "relief 0", "/1"}}, Case{"5", {"/1", "relief 0", "/1", "relief 1", "/1"}},
          Case{"/2",
               {"/1", "relief 0", "/1", "relief 1", "/1", "relief 2", "/1", "relief 3", "/1", "relief 4", "/1",
                "/2"}}}) {
        Scripted memory{.gives_at = one.gives_at};
        REQUIRE(contract::try_memory_type(memory, 100));
        CHECK(memory.tried == one.tried);
    }
}

TEST_CASE("what gave nothing back is not followed by another attempt") {
    Scripted memory{.gives_at = "never", .relieved_bytes = 0};
    CHECK_FALSE(contract::try_memory_type(memory, 900));
    // No half of the usual chunk would be larger than the request.
    CHECK(memory.tried == Steps{"/1", "relief 0", "relief 1", "relief 2", "relief 3", "relief 4", "/1000", "beside"});
}

TEST_CASE("a request of the chunk's size has no smaller chunk to try") {
    Scripted memory{.gives_at = "never", .relieved_bytes = 0};
    CHECK_FALSE(contract::try_memory_type(memory, 1000));
    CHECK(memory.tried == Steps{"/1", "relief 0", "relief 1", "relief 2", "relief 3", "relief 4", "beside"});
}

TEST_CASE("no shrink beyond a sixteenth but the request's own size") {
    Scripted memory{.gives_at = "never", .relieved_bytes = 0};
    CHECK_FALSE(contract::try_memory_type(memory, 1));
    CHECK(memory.tried == Steps{"/1", "relief 0", "relief 1", "relief 2", "relief 3", "relief 4", "/2", "/4", "/8",
                                "/16", "/1000", "beside"});
}

TEST_CASE("an error that other memory would not mend ends it") {
    for (const ErrorCode code : {ErrorCode::kOutOfRange, ErrorCode::kDeviceLost, ErrorCode::kInvariantBroken}) {
        Scripted memory{.gives_at = "never", .error = code};
        const auto failed = contract::try_memory_type(memory, 100);
        REQUIRE_FALSE(failed);
        CHECK(failed.error().code == code);
        CHECK(memory.tried == Steps{"/1"});
    }
    for (const ErrorCode code : {ErrorCode::kOutOfDeviceMemory, ErrorCode::kOutOfHostMemory, ErrorCode::kTooManyObjects,
                                 ErrorCode::kExhausted, ErrorCode::kOverBudget})
        CHECK(contract::wants_other_memory(code));
}
