//! MemoryHints and MemoryBudgetThresholds of wgpu 26 (wgpu-types), with their derives.

use std::ops::Range;

#[derive(Clone, Debug, Default)]
pub enum MemoryHints {
    #[default]
    Performance,
    MemoryUsage,
    Manual { suballocated_device_memory_block_size: Range<u64> },
}

#[derive(Default, Clone, Debug, Copy)]
pub struct MemoryBudgetThresholds {
    pub for_resource_creation: Option<u8>,
    pub for_device_loss: Option<u8>,
}
