include!(env!("HEAPWRIGHT_EXPORT"));

fn main() {
    match memory_hints() {
        wgpu::MemoryHints::Manual { suballocated_device_memory_block_size: range } => {
            assert!(range.start > 0 && range.start <= range.end);
            println!("blocks {:?}", range);
        }
        other => panic!("no block sizes: {:?}", other),
    }
    let thresholds = memory_budget_thresholds();
    assert!(thresholds.for_resource_creation.map_or(false, |percent| percent > 0 && percent <= 100));
    assert!(thresholds.for_device_loss.is_none());
    println!("{:?}", thresholds);
}
