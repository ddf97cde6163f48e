/// The value of one attribute in 16 bytes. It has the layout and the numbers of `restway_value`, so
/// that the C boundary copies cells unchanged.
///
/// A cell owns nothing. `bits` points to text and bytes in the block of the snapshot; a NUL follows
/// them. In a row that is still being collected, `bits` is an offset instead, or the address of
/// text elsewhere (`lasting`).
///
/// Relationships: `object` holds the store key of the object at the other end; `list` points to
/// `length` store keys. In a row that no store has seen, a key may be a *reference* instead: the
/// number of a row of the same change set, made negative (`reference(toRow:)`).
///
/// It is public so that the compiler sees its small functions in other modules (decision 0017).
public struct Cell: BitwiseCopyable, Sendable {
    public enum Kind: UInt32, Sendable {
        case null = 0
        case bool = 1
        case int64 = 2
        case double = 3
        case date = 4
        case string = 5
        case bytes = 6
        case json = 7
        case object = 8
        case list = 9
        case absent = 10
    }

    /// A set of kinds. Asking it takes no more than a shift, because it is asked for each value.
    public struct KindSet: BitwiseCopyable, Sendable {
        public let bits: UInt32

        public init(_ kinds: [Kind]) {
            bits = kinds.reduce(0) { $0 | 1 << $1.rawValue }
        }

        @inlinable
        public func contains(_ kind: Kind) -> Bool { bits &>> kind.rawValue & 1 != 0 }
    }

    public let rawKind: UInt32
    public let length: UInt32
    public let bits: UInt64

    public init(_ kind: Kind, length: UInt32 = 0, bits: UInt64 = 0) {
        rawKind = kind.rawValue
        self.length = length
        self.bits = bits
    }

    /// Returns a cell of the same kind and length with other bits.
    func with(bits: UInt64) -> Cell {
        Cell(rawKind: rawKind, length: length, bits: bits)
    }

    public init(rawKind: UInt32, length: UInt32, bits: UInt64) {
        self.rawKind = rawKind
        self.length = length
        self.bits = bits
    }

    public static var absent: Cell { Cell(.absent) }
    public static var null: Cell { Cell(.null) }
    public static func bool(_ value: Bool) -> Cell { Cell(.bool, bits: value ? 1 : 0) }
    public static func int64(_ value: Int64) -> Cell {
        Cell(.int64, bits: UInt64(bitPattern: value))
    }
    public static func double(_ value: Double) -> Cell { Cell(.double, bits: value.bitPattern) }
    /// Makes a date from microseconds since 1970-01-01T00:00:00Z.
    public static func date(_ value: Int64) -> Cell {
        Cell(.date, bits: UInt64(bitPattern: value))
    }

    /// Makes a link to one object from its store key, or from a reference to a row.
    public static func link(_ key: Int64) -> Cell { Cell(.object, bits: UInt64(bitPattern: key)) }

    /// Returns the reference that stands for the store key of an object that has no store key yet.
    public static func reference(toRow row: Int) -> Int64 { -Int64(row) - 1 }
    /// Returns the row of a reference; `nil` for a store key.
    public static func row(ofReference key: Int64) -> Int? { key < 0 ? Int(-(key + 1)) : nil }

    public var kind: Kind { Kind(rawValue: rawKind) ?? .absent }
    public var isAbsent: Bool { rawKind == Kind.absent.rawValue }
    /// The value of a bool (0 or 1), an int64 or a date.
    public var integer: Int64 { Int64(bitPattern: bits) }
    public var double: Double { Double(bitPattern: bits) }

    /// Whether the value is stored outside the cell: a string, bytes or JSON.
    public var isText: Bool {
        rawKind >= Kind.string.rawValue && rawKind <= Kind.json.rawValue
    }

    public var isInteger: Bool { rawKind == Kind.int64.rawValue }

    /// A bit that no address and no offset has.
    public static var lastingMark: UInt64 { 1 << 63 }

    /// Makes a cell of a row that is being collected. The text stays in place until the row is
    /// complete.
    @inlinable
    public static func lasting(_ kind: Kind, _ text: UnsafeRawBufferPointer) -> Cell {
        Cell(
            kind, length: UInt32(text.count),
            bits: UInt64(UInt(bitPattern: text.baseAddress)) | lastingMark)
    }

    /// Returns the text of a cell in a row that is being collected. The row's other text is in
    /// `bytes`.
    @inline(__always)
    public func text(besides bytes: UnsafeRawPointer) -> UnsafeRawBufferPointer {
        let isLasting = bits & Self.lastingMark != 0
        let address = UInt(truncatingIfNeeded: bits & ~Self.lastingMark)
        let start = isLasting ? UnsafeRawPointer(bitPattern: address) : bytes + Int(address)
        return UnsafeRawBufferPointer(start: start, count: Int(length))
    }

    /// Returns a cell of a row that is being collected with the address of its text.
    @inline(__always)
    public func placed(besides bytes: UnsafeRawPointer) -> Cell {
        guard isText, let address = text(besides: bytes).baseAddress else { return self }
        return Cell(rawKind: rawKind, length: length, bits: UInt64(UInt(bitPattern: address)))
    }

    public var isList: Bool { rawKind == Kind.list.rawValue }

    /// The store keys that `bits` points to, for a list of a snapshot.
    public var keys: UnsafeBufferPointer<Int64> {
        UnsafeBufferPointer(
            start: UnsafePointer(bitPattern: UInt(truncatingIfNeeded: bits)), count: Int(length))
    }

    /// The text that `bits` points to, for text of a snapshot.
    public var text: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: UnsafeRawPointer(bitPattern: UInt(truncatingIfNeeded: bits)),
            count: Int(length))
    }
}
