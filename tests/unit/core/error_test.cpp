#include <catch2/catch_test_macros.hpp>

#include "heapwright/core/error.hpp"

using namespace heapwright;

TEST_CASE("an error says where, what, the value, the limit and the native code") {
    const Error error{.code = ErrorCode::kOutOfRange,
                      .message = "alignment is not a power of two",
                      .where = "/devices/0/alignment_bytes",
                      .value = 3,
                      .limit = 65536,
                      .native_code = -2};
    CHECK(to_string(error) ==
          "/devices/0/alignment_bytes: alignment is not a power of two (value 3, limit 65536) [native code -2]");
    CHECK(to_string(Error{.code = ErrorCode::kNoDevice, .message = "no device", .where = ""}) == "no device");
}
