// Result<T>: a value or an Error. The only way a failure leaves a function of this library.
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

#include "heapwright/core/error.hpp"

namespace heapwright {

template <class T>
using Result = tl::expected<T, Error>;

using Status = Result<void>;

[[nodiscard]] inline tl::unexpected<Error> fail(ErrorCode code, std::string message, std::string where = {}) {
    return tl::unexpected<Error>(Error{.code = code, .message = std::move(message), .where = std::move(where)});
}

[[nodiscard]] inline tl::unexpected<Error> fail(Error error) {
    return tl::unexpected<Error>(std::move(error));
}

}  // namespace heapwright

// Returns the error of a Result-valued expression to the caller; otherwise goes on.
#define HEAPWRIGHT_TRY(expression)                                                                  \
    do {                                                                                            \
        if (auto heapwright_try_result = (expression); !heapwright_try_result) [[unlikely]]         \
            return ::tl::unexpected<::heapwright::Error>(std::move(heapwright_try_result.error())); \
    } while (false)

#define HEAPWRIGHT_CONCAT_INNER(a, b) a##b
#define HEAPWRIGHT_CONCAT(a, b) HEAPWRIGHT_CONCAT_INNER(a, b)

// HEAPWRIGHT_ASSIGN(auto memory, source.allocate(...)): declares `memory` from the value or returns the error.
#define HEAPWRIGHT_ASSIGN(declaration, expression)                               \
    auto HEAPWRIGHT_CONCAT(heapwright_result_, __LINE__) = (expression);         \
    if (!HEAPWRIGHT_CONCAT(heapwright_result_, __LINE__)) [[unlikely]]           \
        return ::tl::unexpected<::heapwright::Error>(                            \
            std::move(HEAPWRIGHT_CONCAT(heapwright_result_, __LINE__).error())); \
    declaration = std::move(*HEAPWRIGHT_CONCAT(heapwright_result_, __LINE__))
