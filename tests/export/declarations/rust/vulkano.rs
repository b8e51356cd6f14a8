//! What vulkano 0.34.1 declares for its allocator's block sizes (src/memory/allocator/mod.rs), and the check that
//! GenericMemoryAllocator::new makes.

pub mod memory {
    pub mod allocator {
        #[derive(Clone, Debug)]
        pub struct NonExhaustive(());

        #[derive(Clone, Copy, Debug)]
        pub struct ExternalMemoryHandleTypes(pub u64);

        #[derive(Clone, Debug)]
        pub struct GenericMemoryAllocatorCreateInfo<'a> {
            pub block_sizes: &'a [u64],
            pub memory_type_bits: u32,
            pub dedicated_allocation: bool,
            pub export_handle_types: &'a [ExternalMemoryHandleTypes],
            pub device_address: bool,
            pub _ne: NonExhaustive,
        }

        impl Default for GenericMemoryAllocatorCreateInfo<'_> {
            fn default() -> Self {
                GenericMemoryAllocatorCreateInfo {
                    block_sizes: &[],
                    memory_type_bits: u32::MAX,
                    dedicated_allocation: true,
                    export_handle_types: &[],
                    device_address: true,
                    _ne: NonExhaustive(()),
                }
            }
        }

        /// What `new` wants of a device with this many memory types.
        pub fn check(create_info: &GenericMemoryAllocatorCreateInfo<'_>, memory_types: usize) {
            assert_eq!(
                create_info.block_sizes.len(),
                memory_types,
                "`create_info.block_sizes` must contain as many elements as the number of memory types"
            );
            assert!(create_info.export_handle_types.is_empty());
        }
    }
}
