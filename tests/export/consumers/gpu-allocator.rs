include!(env!("HEAPWRIGHT_EXPORT"));

fn main() {
    let sizes = allocation_sizes();
    assert!(sizes.min_device <= sizes.max_device && sizes.min_host <= sizes.max_host);
    println!("{:?}", sizes);
}
