// The container of sample files (docs/contracts.md, "Sample files").
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace modelstress {

/** A column of a record; fields of times end in `_ns`, and a dictionary is named as its column. */
nlohmann::json mssf_column(const std::string& name, const char* type, std::size_t offset,
                           bool coded = false);

/** All that stands before the records, as long as whole pages: they can be mapped then. */
std::string mssf_header(std::int64_t record_size, const nlohmann::json& columns,
                        const nlohmann::json& dictionaries, const nlohmann::json& meta);

/** Writes all of it, wherever the file's position is. False when there is no room: see errno. */
bool write_at(int file, const std::string& data, std::int64_t at);

}  // namespace modelstress
