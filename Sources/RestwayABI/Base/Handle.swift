import Glibc
import RestwayCalls
import RestwayHTTP
import RestwayStore
import RestwayThreads
import Synchronization

extension HandleObject {
    /// Whether the object was made in this process, and not in the parent before a fork.
    var isOfThisProcess: Bool { generation == ProcessGeneration.current }
}

extension ChangeList: HandleObject {}

/// Passes Swift objects through the C boundary as opaque handles.
///
/// Only this type and `UserData` use `Unmanaged`. The reference counts include the references that
/// the program owns, but not handles that the library lends.
enum Handle {
    /// Returns a handle that the program owns (+1).
    static func give<Object: HandleObject>(_ object: Object) -> OpaquePointer {
        HandleCounts.shared.add(1, Object.self)
        return OpaquePointer(Unmanaged.passRetained(object).toOpaque())
    }

    /// Returns a handle that lives as long as the owner of `object` keeps it.
    static func lend<Object: HandleObject>(_ object: Object) -> OpaquePointer {
        OpaquePointer(Unmanaged.passUnretained(object).toOpaque())
    }

    /// Runs `body` with a handle that lives until `body` returns.
    static func lending<Object: HandleObject, Result>(
        _ object: Object, _ body: (OpaquePointer) -> Result
    ) -> Result {
        withExtendedLifetime(object) { body(lend(object)) }
    }
}

/// Functions for the handles of one type.
extension HandleObject {
    /// Adds a reference of the program to the object of `handle`, also in a forked child.
    static func retain(_ handle: InHandle) -> OpaquePointer? {
        inherited(handle).map(Handle.give)
    }

    /// Releases one reference of the program.
    ///
    /// In a forked child, the parent's object is never destroyed: this could wait for a lock that
    /// no thread of the child will ever release, or close something that the parent still uses.
    static func release(_ handle: InHandle) {
        guard let handle else { return }
        HandleCounts.shared.add(-1, Self.self)
        let object = Unmanaged<Self>.fromOpaque(UnsafeRawPointer(handle))
        if object._withUnsafeGuaranteedRef({ $0.isOfThisProcess }) { object.release() }
    }

    /// Returns the object of a handle; nil for NULL and, in a forked child, for a handle of the
    /// parent.
    static func object(_ handle: InHandle) -> Self? {
        guard let object = inherited(handle), object.isOfThisProcess else { return nil }
        return object
    }

    /// Returns the object of a handle, whichever process made it; nil for NULL.
    static func inherited(_ handle: InHandle) -> Self? {
        handle.map { Unmanaged<Self>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
    }

    /// Lends bytes that the object keeps in an array, which nothing changes. Returns `nil` if
    /// `read` returns `nil`. An empty array may have no address; then this returns the address of
    /// the handle.
    static func bytes(
        _ handle: InHandle, _ outLength: Out<Int>?, _ read: (Self) -> [UInt8]?
    ) -> UnsafeRawPointer? {
        let bytes = object(handle).flatMap(read)
        outLength?.pointee = bytes?.count ?? 0
        return bytes.flatMap { $0.withUnsafeBytes(\.baseAddress) ?? UnsafeRawPointer(handle) }
    }
}

/// A handle object with texts that C may read.
protocol TextLender: HandleObject {
    var texts: LentTexts { get }
}

/// Functions that lend a text. Each returns `nil` if there is no object, or if the object does not
/// have the text.
extension TextLender {
    static func text(_ handle: InHandle, _ key: String, _ read: (Self) -> String?) -> CString? {
        object(handle).flatMap { object in object.texts.pointer(key) { read(object) } }
    }

    /// Lends the value of a header field, whose name is given in any case.
    static func header(
        _ handle: InHandle, _ name: CString?, key: String = "header", _ headers: (Self) -> Headers
    ) -> CString? {
        guard let name = name.flatMap({ String(validatingCString: $0) })?.lowercased() else {
            return nil
        }
        return text(handle, "\(key) \(name)") { headers($0).joined(name) }
    }
}

/// Texts that a handle lends to C. Each is made at its first use and lives as long as the handle.
final class LentTexts: Sendable {
    private let texts: Lock<[String: CText]>

    /// - Parameter isForProcess: Whether the texts live as long as the process, also in a forked
    ///   child.
    init(isForProcess: Bool = false) {
        let texts = Lock<[String: CText]>([:])
        self.texts = isForProcess ? ForkBarrier.guarded(texts) : texts
    }

    /// Returns the text called `key`. `make` runs unless the text was made before; it returns `nil`
    /// if there is no text.
    func pointer(_ key: String, _ make: () -> String?) -> CString? {
        texts.withLock { texts in
            if let text = texts[key] { return text.pointer }
            guard let text = make().map(CText.init) else { return nil }
            texts[key] = text
            return text.pointer
        }
    }
}

/// A NUL-terminated copy of a string, which lives as long as this object.
///
/// `@unchecked Sendable`: nothing changes the bytes after `init`.
final class CText: @unchecked Sendable {
    let pointer: CString

    init(_ text: String) {
        // Passing the string to C directly would first copy it into an array.
        guard let copy = text.withCString({ strdup($0) }) else {
            preconditionFailure("out of memory")
        }
        pointer = UnsafePointer(copy)
    }

    deinit {
        free(UnsafeMutableRawPointer(mutating: pointer))
    }
}

extension Array {
    /// The element at `index`; `nil` if the index is out of range.
    func at(_ index: Int) -> Element? {
        indices.contains(index) ? self[index] : nil
    }
}
