include!(env!("HEAPWRIGHT_EXPORT"));

fn main() {
    let info = create_info();
    let memory_types: usize = std::env::args().nth(1).expect("the number of memory types").parse().unwrap();
    vulkano::memory::allocator::check(&info, memory_types);
    assert!(info.block_sizes.iter().all(|size| *size > 0));
    assert!(info.memory_type_bits != 0 && u64::from(info.memory_type_bits) < 1u64 << memory_types);
    println!("{:?} {:#x}", info.block_sizes, info.memory_type_bits);
}
