#include "heapwright/cli/input.hpp"

#include "heapwright/core/file.hpp"

namespace heapwright::cli {

Result<Input> read_input(const std::string& file) {
    const bool is_standard_input = file == "-";
    HEAPWRIGHT_ASSIGN(std::string text, is_standard_input ? read_standard_input() : read_file(file));
    return Input{.text = std::move(text), .name = is_standard_input ? "standard input" : file};
}

}  // namespace heapwright::cli
