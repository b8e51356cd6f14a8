//! AllocationSizes of gpu-allocator 0.28 (src/lib.rs). Where the crate would clamp or round a size and warn, this one
//! panics: an exported size is one that the crate takes as it is.

#[derive(Clone, Copy, Debug)]
pub struct AllocationSizes {
    pub min_device: u64,
    pub max_device: u64,
    pub min_host: u64,
    pub max_host: u64,
}

const FOUR_MB: u64 = 4 * 1024 * 1024;
const MOST: u64 = 256 * 1024 * 1024;

fn taken_as_it_is(size: u64) -> u64 {
    assert!(size >= FOUR_MB && size <= MOST, "{} is clamped to 4 MiB to 256 MiB", size);
    assert!(size % FOUR_MB == 0, "{} is rounded up to a multiple of 4 MiB", size);
    size
}

impl AllocationSizes {
    pub fn new(device_memblock_size: u64, host_memblock_size: u64) -> Self {
        let device = taken_as_it_is(device_memblock_size);
        let host = taken_as_it_is(host_memblock_size);
        Self { min_device: device, max_device: device, min_host: host, max_host: host }
    }

    pub fn with_max_device_memblock_size(mut self, size: u64) -> Self {
        self.max_device = taken_as_it_is(size);
        assert!(self.max_device >= self.min_device, "the largest block is smaller than the first");
        self
    }

    pub fn with_max_host_memblock_size(mut self, size: u64) -> Self {
        self.max_host = taken_as_it_is(size);
        assert!(self.max_host >= self.min_host, "the largest block is smaller than the first");
        self
    }
}

impl Default for AllocationSizes {
    fn default() -> Self {
        Self::new(MOST, 64 * 1024 * 1024)
    }
}
