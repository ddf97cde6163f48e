import RestwayObjects

/// One event on a tape, or a key and its scalar together, in 24 bytes.
///
/// A record of a key and its scalar begins with the 16 bytes of a cell with the value. Text in this
/// cell lies in lasting memory. If the attribute takes the value unchanged, the machine only copies
/// the cell.
struct EventRecord: BitwiseCopyable {
    /// The kinds of records. Scalars with their keys come first, with the numbers of `Cell.Kind`.
    enum Kind: UInt8 {
        /// A null value of `node`, which has one attribute and nothing else.
        case memberNull = 0
        case memberBool = 1
        case memberInt64 = 2
        case memberDouble = 3
        case memberDate = 4
        case memberString = 5

        case beginObject, endObject, beginArray, endArray
        /// A key as text, a key whose place the writer has found, and a key that leads nowhere.
        case key, foundKey, skippedKey
        case string, int64, double, bool, null, bytes, date, unrepresentable

        /// The bit of this kind in `PlanNode.directKinds`.
        var bit: UInt32 { 1 << UInt32(rawValue) }
    }

    /// The number of `kind`. The memory of an enumeration need not be its number.
    private let number: UInt8
    /// Whether the text lies on the tape, not in the body. `bits` is then where it begins.
    let isOnTape: Bool
    private let countHigh: UInt16
    private let countLow: UInt32
    /// The value, the address of the text, or the number of elements, which is -1 if not known.
    let bits: UInt64
    let node: UnsafePointer<PlanNode>?

    @inline(__always)
    init(
        _ kind: Kind, _ bits: UInt64 = 0, node: UnsafePointer<PlanNode>? = nil, count: Int = 0,
        isOnTape: Bool = false
    ) {
        number = kind.rawValue
        self.isOnTape = isOnTape
        countHigh = UInt16(truncatingIfNeeded: count >> 32)
        countLow = UInt32(truncatingIfNeeded: count)
        self.bits = bits
        self.node = node
    }

    /// Creates a record of text in the body, of less than 4 GiB, as the value of `node`.
    @inline(__always)
    static func member(
        _ text: UnsafeRawBufferPointer, of node: UnsafePointer<PlanNode>
    ) -> EventRecord {
        let address = UInt64(UInt(bitPattern: text.baseAddress))
        return EventRecord(
            .memberString, address | lastingMark, node: node, count: text.count)
    }

    /// Marks lasting text, as in cells.
    private static let lastingMark: UInt64 = 1 << 63

    /// The text of `member`.
    var memberText: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: UnsafeRawPointer(bitPattern: UInt(bits & ~Self.lastingMark)), count: count)
    }

    var kind: Kind {
        @inline(__always) get { Kind(rawValue: number).unsafelyUnwrapped }
    }
    /// Whether this is a key with its scalar.
    var isMember: Bool { number <= Kind.memberString.rawValue }
    /// The bit of the kind, as in `Kind.bit`.
    var bit: UInt32 { 1 << UInt32(number) }

    var int64: Int64 { Int64(bitPattern: bits) }
    var double: Double { Double(bitPattern: bits) }
    /// The length of the text, in bytes. No memory holds 2^48.
    var count: Int { Int(countHigh) << 32 | Int(countLow) }
}

extension UnsafePointer<EventRecord> {
    /// The cell with which a record of a key and its scalar begins.
    @inline(__always)
    var cell: Cell { UnsafeRawPointer(self).load(as: Cell.self) }
}
