import Glibc
import RestwayHTTP

/// The memory of a request's body while libcurl sends it. libcurl does not copy it, and the storage
/// of a Swift array has no lasting address.
struct BodyBuffer: ~Copyable {
    /// A larger buffer is freed after its exchange.
    private static let keptBytesMax = 64 << 10

    private var storage: UnsafeMutableRawPointer?
    private var capacity = 0

    deinit {
        free(storage)
    }

    /// Copies `body`; the result is valid until `release`. Returns nil if there is no memory.
    mutating func hold(_ body: ExchangeBody) -> UnsafeMutableRawPointer? {
        // libcurl takes NULL for "ask for the body", so an empty body needs an address too.
        let count = max(1, Int(body.count ?? 0))
        if count > capacity {
            free(storage)
            storage = malloc(count)
            capacity = storage == nil ? 0 : count
        }
        if case .bytes(let bytes) = body, let storage {
            bytes.withUnsafeBytes { source in
                if let address = source.baseAddress { memcpy(storage, address, source.count) }
            }
        }
        return storage
    }

    /// Overwrites the bytes before `release`.
    func wipe() {
        if let storage { explicit_bzero(storage, capacity) }
    }

    mutating func release() {
        guard capacity > Self.keptBytesMax else { return }
        free(storage)
        storage = nil
        capacity = 0
    }
}
