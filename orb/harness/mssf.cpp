#include "mssf.hpp"

#include <unistd.h>

#include <cerrno>

namespace modelstress {

using nlohmann::json;

namespace {
constexpr std::size_t PAGE = 4096;
constexpr int FORMAT = 2;
}  // namespace

json mssf_column(const std::string& name, const char* type, std::size_t offset, bool coded) {
  json column = {{"name", name}, {"type", type}, {"offset", offset}};
  if (coded) column["dictionary"] = name;
  if (name.size() > 3 && name.substr(name.size() - 3) == "_ns") column["unit"] = "ns";
  return column;
}

std::string mssf_header(std::int64_t record_size, const json& columns, const json& dictionaries,
                        const json& meta) {
  const std::string text = json{
      {"record_size", record_size},
      {"format", FORMAT},
      {"columns", columns},
      {"dictionaries", dictionaries},
      {"meta", meta}}.dump();
  const auto size = (12 + text.size() + PAGE - 1) / PAGE * PAGE;
  const std::uint32_t numbers[] = {1, static_cast<std::uint32_t>(size - 12)};
  std::string found = "MSSF";
  found.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
  found += text;
  found.resize(size, ' ');
  return found;
}

bool write_at(int file, const std::string& data, std::int64_t at) {
  std::size_t done = 0;
  while (done < data.size()) {
    const ssize_t written =
        pwrite(file, data.data() + done, data.size() - done, at + static_cast<std::int64_t>(done));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    done += static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace modelstress
