// The readers of each allocator's own shape, behind read_dump() (dump.hpp).
#pragma once

#include "heapwright/core/result.hpp"
#include "workload/detail/dump_json.hpp"
#include "workload/dump.hpp"
#include "workload/finding_list.hpp"

namespace heapwright::workload {

[[nodiscard]] Status read_vma_2(const detail::DumpJson& root, Dump& dump, FindingList& findings);
[[nodiscard]] Status read_vma_3(const detail::DumpJson& root, Dump& dump, FindingList& findings);
[[nodiscard]] Status read_d3d12ma_1(const detail::DumpJson& root, Dump& dump, FindingList& findings);
[[nodiscard]] Status read_d3d12ma_2(const detail::DumpJson& root, Dump& dump, FindingList& findings);

}  // namespace heapwright::workload
