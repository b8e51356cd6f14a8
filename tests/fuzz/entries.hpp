// What the fuzzers call with every input, and the corpus test with every file: it must return, whatever the bytes. What
// is accepted must be written and read back unchanged; otherwise the entry says so and aborts, which a fuzzer reports.
#pragma once

#include <span>
#include <string_view>

namespace heapwright::fuzz {

// Bytes of another format than the entry's own are left alone, so that each fuzzer stays with its importer.
// As one file among others of a folder, and as a line of NDJSON.
void cluster(std::string_view bytes);

void import_d3d12info(std::string_view bytes);
void import_devsim(std::string_view bytes);
void import_gpuinfo(std::string_view bytes);
void import_logs(std::string_view bytes);
void import_profiles(std::string_view bytes);
void import_vkjson(std::string_view bytes);
void import_vulkaninfo(std::string_view bytes);

// As the name of a schema.
void print_schema(std::string_view bytes);

void read_allow_list(std::string_view bytes);
void read_comparison(std::string_view bytes);
void read_drivers(std::string_view bytes);
void read_dump(std::string_view bytes);
void read_policy(std::string_view bytes);
void read_recording(std::string_view bytes);
void read_report(std::string_view bytes);
void read_trace(std::string_view bytes);
void read_validation(std::string_view bytes);
void read_what_if(std::string_view bytes);
void read_workload(std::string_view bytes);

struct Entry {
    std::string_view name;
    void (*run)(std::string_view bytes);
};
// All of them, by name.
[[nodiscard]] std::span<const Entry> entries();

}  // namespace heapwright::fuzz
