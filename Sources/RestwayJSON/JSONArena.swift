import CJansson
import Glibc

/// Memory for trees that are made one after the other. All memory of a tree is freed at once. For a
/// small text, Jansson spends most of its time on allocating and freeing memory for each value.
///
/// The arena is used only if Jansson belongs to the library alone (docs/decisions/0022). If the
/// host shares Jansson, its allocator belongs to the host, and trees are made with `malloc`.
package struct JSONArena: ~Copyable {
    private var memory = Memory()

    package init() {}

    /// Parses `text`. `body` may use the tree while it runs. It must not take a reference to the
    /// tree, and must not make another tree in this arena.
    package mutating func withTree<Result>(
        _ text: UnsafeRawBufferPointer,
        _ options: JSONValue.ParseOptions = .validJSON(keepsDigits: false),
        _ body: (JSONTree) throws(JSONError) -> Result
    ) throws(JSONError) -> Result {
        let tree = try parse(text, options)
        defer { end(tree) }
        return try body(tree)
    }

    private mutating func parse(
        _ text: UnsafeRawBufferPointer, _ options: JSONValue.ParseOptions
    ) throws(JSONError) -> JSONTree {
        guard Self.isServing else { return try JSONTree.parse(text, options) }
        return try withUnsafeMutablePointer(to: &memory) { memory throws(JSONError) in
            pthread_setspecific(Self.key, memory)
            defer { pthread_setspecific(Self.key, nil) }
            return try JSONTree.parse(text, options)
        }
    }

    private mutating func end(_ tree: JSONTree) {
        if Self.isServing { memory.clear() } else { tree.release() }
    }

    deinit { memory.release() }

    // MARK: Jansson's allocator

    /// The arena in which the calling thread makes its trees.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        precondition(pthread_key_create(&key, nil) == 0)
        return key
    }()

    /// Whether arenas are used. It is read before any tree is made, so that all blocks come from
    /// this allocator.
    static let isServing: Bool = {
        guard rw_json_is_private() != 0 else { return false }
        _ = key
        json_set_alloc_funcs(
            { count in
                guard let memory = pthread_getspecific(JSONArena.key) else {
                    return malloc(Memory.rounded(count))
                }
                return memory.assumingMemoryBound(to: Memory.self).pointee.allocate(count)
            },
            { address in
                if !Memory.isOfArena(address) { free(address) }
            })
        return true
    }()

    /// A list of chunks. The address of each value is a multiple of sixteen plus eight. No block of
    /// `malloc` of sixteen bytes or more has such an address.
    private struct Memory {
        /// The size of the first chunks. `malloc` keeps free blocks of this size.
        private static let smallChunk = 1_016
        private static let smallChunksMax = 6
        private static let largeChunkMax = 256 << 10

        private var next: UInt = 0
        private var end: UInt = 0
        /// The newest chunk. Each chunk begins with the address of the one before it.
        private var newest: UnsafeMutableRawPointer?
        private var chunkCount = 0

        @inline(__always)
        static func rounded(_ count: Int) -> Int { max(16, (count &+ 15) & ~15) }

        @inline(__always)
        static func isOfArena(_ address: UnsafeMutableRawPointer?) -> Bool {
            UInt(bitPattern: address) & 15 == 8
        }

        @inline(__always)
        mutating func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
            let count = UInt(bitPattern: Self.rounded(count))
            if end &- next < count { return grow(count) }
            defer { next &+= count }
            return UnsafeMutableRawPointer(bitPattern: next)
        }

        @inline(never)
        private mutating func grow(_ count: UInt) -> UnsafeMutableRawPointer? {
            let doublings = max(0, chunkCount - Self.smallChunksMax)
            let size = min(Self.smallChunk << min(doublings, 16), Self.largeChunkMax)
            let room = max(UInt(bitPattern: size) & ~15, count)
            guard room < Int.max - 8, let chunk = malloc(Int(room) + 8) else { return nil }
            chunk.storeBytes(of: newest, as: UnsafeMutableRawPointer?.self)
            newest = chunk
            chunkCount += 1
            let start = chunk + 8
            next = UInt(bitPattern: start) + count
            end = UInt(bitPattern: start) + room
            return start
        }

        /// Keeps the newest chunk, usually the largest, for the next tree.
        mutating func clear() {
            guard let chunk = newest else { return }
            releaseChunks(before: chunk)
            chunk.storeBytes(of: nil, as: UnsafeMutableRawPointer?.self)
            next = UInt(bitPattern: chunk + 8)
        }

        func release() {
            guard let chunk = newest else { return }
            releaseChunks(before: chunk)
            free(chunk)
        }

        private func releaseChunks(before chunk: UnsafeMutableRawPointer) {
            var rest = chunk.load(as: UnsafeMutableRawPointer?.self)
            while let chunk = rest {
                rest = chunk.load(as: UnsafeMutableRawPointer?.self)
                free(chunk)
            }
        }
    }
}
