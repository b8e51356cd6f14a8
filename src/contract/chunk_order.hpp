// The chunks of a bucket by their free bytes, the fullest first: a search tree whose nodes are the chunks' slots, so
// that nothing is allocated but for a slot that is new, and what a change or a search costs grows with the logarithm of
// the chunks. Each node knows the largest size bin of a free range below it, so that a search passes chunks by that
// have the bytes and no range.
// Guarantees: a chunk whose free bytes change passes those that it must and no equal one. Chunks are named by their
// slots, small numbers that are used again. Sizes in bytes. Not thread-safe; no errors.
// Source: Seidel, Aragon, "Randomized search trees" (1996); the priority of a slot is its hash.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heapwright::contract {

class ChunkOrder {
public:
    static constexpr std::uint32_t kNone = ~0u;
    static constexpr std::uint32_t kAnyBin = ~0u;  // the largest bin of a chunk that does not tell its ranges

    void add(std::uint32_t slot, std::uint64_t free_bytes, std::uint32_t largest_bin = kAnyBin) {
        if (slot >= nodes_.size()) nodes_.resize(slot + std::size_t{1});
        nodes_[slot].priority = priority_of(slot);
        insert(slot, free_bytes, largest_bin, true);
        ++size_;
    }

    void remove(std::uint32_t slot) {
        erase(slot);
        --size_;
    }

    void set(std::uint32_t slot, std::uint64_t free_bytes, std::uint32_t largest_bin = kAnyBin) {
        Node& node = nodes_[slot];
        const bool is_fuller = free_bytes < node.free_bytes;
        if (free_bytes == node.free_bytes || !passes_neighbour(slot, free_bytes, is_fuller)) {
            node.free_bytes = free_bytes;
            node.own_bin = largest_bin;
            renew_from(slot);
            return;
        }
        erase(slot);
        insert(slot, free_bytes, largest_bin, is_fuller);
    }

    // The fullest chunk with at least so many free bytes and a free range of that bin or a larger one; kNone without.
    [[nodiscard]] std::uint32_t first(std::uint64_t free_bytes = 0, std::uint32_t bin = 0) const {
        std::uint32_t fullest = kNone;
        for (std::uint32_t at = root_; at != kNone;) {
            const bool has_bytes = nodes_[at].free_bytes >= free_bytes;
            if (has_bytes) fullest = at;
            at = has_bytes ? nodes_[at].left : nodes_[at].right;
        }
        return fullest == kNone || nodes_[fullest].own_bin >= bin ? fullest : next(fullest, bin);
    }
    // The next emptier one with such a range.
    [[nodiscard]] std::uint32_t next(std::uint32_t slot, std::uint32_t bin = 0) const {
        while (true) {
            if (has_bin(nodes_[slot].right, bin)) return first_below(nodes_[slot].right, bin);
            std::uint32_t parent = nodes_[slot].parent;
            for (; parent != kNone && nodes_[parent].right == slot; parent = nodes_[parent].parent) slot = parent;
            if (parent == kNone || nodes_[parent].own_bin >= bin) return parent;
            slot = parent;
        }
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::uint64_t free_bytes(std::uint32_t slot) const { return nodes_[slot].free_bytes; }
    [[nodiscard]] std::uint32_t largest_bin(std::uint32_t slot) const { return nodes_[slot].own_bin; }

    // Whether every link has its counterpart, what lies below is summed up truly and all stand in order.
    [[nodiscard]] bool is_sound() const {
        std::size_t count = 0;
        std::uint64_t before = 0;
        for (std::uint32_t slot = first(); slot != kNone; slot = next(slot)) {
            const Node& node = nodes_[slot];
            for (const std::uint32_t child : {node.left, node.right}) {
                if (child != kNone && (nodes_[child].parent != slot || nodes_[child].priority > node.priority))
                    return false;
            }
            if (node.bin_below != sum_of(node) || node.free_bytes < before || ++count > size_) return false;
            before = node.free_bytes;
        }
        return count == size_;
    }

private:
    struct Node {
        std::uint64_t free_bytes = 0;
        std::uint32_t own_bin = 0;
        std::uint32_t bin_below = 0;  // the largest of its own and those of both subtrees
        std::uint32_t parent = kNone;
        std::uint32_t left = kNone;
        std::uint32_t right = kNone;
        std::uint32_t priority = 0;  // none below has a higher one
    };

    static std::uint32_t priority_of(std::uint32_t slot) {
        std::uint64_t hash = (slot + 1) * 0x9E3779B97F4A7C15ull;
        hash = (hash ^ hash >> 32) * 0xD6E8FEB86659FD93ull;
        return static_cast<std::uint32_t>(hash >> 32);
    }

    [[nodiscard]] bool has_bin(std::uint32_t at, std::uint32_t bin) const {
        return at != kNone && nodes_[at].bin_below >= bin;
    }
    // Of a subtree that has_bin().
    [[nodiscard]] std::uint32_t first_below(std::uint32_t at, std::uint32_t bin) const {
        while (true) {
            if (has_bin(nodes_[at].left, bin))
                at = nodes_[at].left;
            else if (nodes_[at].own_bin >= bin)
                return at;
            else
                at = nodes_[at].right;
        }
    }

    [[nodiscard]] bool passes_neighbour(std::uint32_t slot, std::uint64_t free_bytes, bool is_fuller) const {
        const std::uint32_t neighbour = is_fuller ? previous(slot) : next(slot);
        if (neighbour == kNone) return false;
        const std::uint64_t other = nodes_[neighbour].free_bytes;
        return is_fuller ? other > free_bytes : other < free_bytes;
    }
    [[nodiscard]] std::uint32_t previous(std::uint32_t slot) const {
        std::uint32_t at = nodes_[slot].left;
        if (at != kNone) {
            while (nodes_[at].right != kNone) at = nodes_[at].right;
            return at;
        }
        std::uint32_t parent = nodes_[slot].parent;
        for (; parent != kNone && nodes_[parent].left == slot; parent = nodes_[parent].parent) slot = parent;
        return parent;
    }

    // Among equal ones behind all of them, or before.
    void insert(std::uint32_t slot, std::uint64_t free_bytes, std::uint32_t largest_bin, bool is_behind_equals) {
        Node& node = nodes_[slot];
        node.free_bytes = free_bytes;
        node.own_bin = node.bin_below = largest_bin;
        node.parent = node.left = node.right = kNone;
        std::uint32_t* link = &root_;
        while (*link != kNone) {
            node.parent = *link;
            Node& above = nodes_[*link];
            const bool goes_left =
                free_bytes < above.free_bytes || (free_bytes == above.free_bytes && !is_behind_equals);
            link = goes_left ? &above.left : &above.right;
        }
        *link = slot;
        renew_from(node.parent);
        while (node.parent != kNone && nodes_[node.parent].priority < node.priority) lift(slot);
    }

    void erase(std::uint32_t slot) {
        const Node& node = nodes_[slot];
        while (node.left != kNone || node.right != kNone) {
            const bool lifts_left =
                node.right == kNone || (node.left != kNone && nodes_[node.left].priority > nodes_[node.right].priority);
            lift(lifts_left ? node.left : node.right);
        }
        link_to(slot) = kNone;
        renew_from(node.parent);
    }

    // The link that names the node.
    [[nodiscard]] std::uint32_t& link_to(std::uint32_t slot) {
        const std::uint32_t parent = nodes_[slot].parent;
        if (parent == kNone) return root_;
        return nodes_[parent].left == slot ? nodes_[parent].left : nodes_[parent].right;
    }

    // Puts a node in its parent's place and the parent below it; the order stays.
    void lift(std::uint32_t slot) {
        Node& node = nodes_[slot];
        const std::uint32_t lowered = node.parent;
        Node& parent = nodes_[lowered];
        link_to(lowered) = slot;
        node.parent = parent.parent;
        parent.parent = slot;
        const bool was_left = parent.left == slot;
        std::uint32_t& given = was_left ? node.right : node.left;
        (was_left ? parent.left : parent.right) = given;
        if (given != kNone) nodes_[given].parent = lowered;
        given = lowered;
        parent.bin_below = sum_of(parent);
        node.bin_below = sum_of(node);
    }

    [[nodiscard]] std::uint32_t sum_of(const Node& node) const {
        std::uint32_t largest = node.own_bin;
        if (node.left != kNone) largest = std::max(largest, nodes_[node.left].bin_below);
        if (node.right != kNone) largest = std::max(largest, nodes_[node.right].bin_below);
        return largest;
    }
    void renew_from(std::uint32_t slot) {
        for (; slot != kNone; slot = nodes_[slot].parent) {
            const std::uint32_t largest = sum_of(nodes_[slot]);
            if (largest == nodes_[slot].bin_below) return;
            nodes_[slot].bin_below = largest;
        }
    }

    std::vector<Node> nodes_;  // by slot
    std::uint32_t root_ = kNone;
    std::size_t size_ = 0;
};

}  // namespace heapwright::contract
