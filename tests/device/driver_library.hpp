// The library that a driver's manifest names, as the loader finds it.
#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "core/file.hpp"

namespace heapwright::test {

inline std::string library_of(const std::string& icd) {
    const auto manifest = nlohmann::json::parse(read_file(icd).value());
    const std::filesystem::path library = manifest.at("ICD").at("library_path").get<std::string>();
    const bool is_beside = !library.is_absolute() && library.has_parent_path();
    return is_beside ? (std::filesystem::path(icd).parent_path() / library).string() : library.string();
}

}  // namespace heapwright::test
