import RestwayObjects

/// One event on a tape, or a key and its scalar together: 24 bytes.
///
/// A scalar with its key begins with the 16 bytes of a cell of its value, in which text lies where
/// it stays: where the attribute takes it as it is, the machine need only copy them.
struct EventRecord: BitwiseCopyable {
    /// Those of scalars with their keys come first, and have the numbers of `Cell.Kind`.
    enum Kind: UInt8 {
        /// The value of `node`, which takes one attribute and nothing else.
        case memberNull = 0
        case memberBool = 1
        case memberInt64 = 2
        case memberDouble = 3
        case memberDate = 4
        case memberString = 5

        case beginObject, endObject, beginArray, endArray
        /// A key as text, one whose place the writer has found, and one that leads nowhere.
        case key, foundKey, skippedKey
        case string, int64, double, bool, null, bytes, date, unrepresentable

        /// Its place in `PlanNode.directKinds`.
        var bit: UInt32 { 1 << UInt32(rawValue) }
    }

    /// Of `kind`: an enumeration does not lie in memory as its number.
    private let number: UInt8
    /// The text does not lie in the body but in that of the tape: `bits` is where it begins.
    let isOnTape: Bool
    private let countHigh: UInt16
    private let countLow: UInt32
    /// The value, the address of the text, or how many elements come: -1 when that is not known.
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

    /// Text of the body, of less than 4 GiB, as the value of `node`.
    @inline(__always)
    static func member(
        _ text: UnsafeRawBufferPointer, of node: UnsafePointer<PlanNode>
    ) -> EventRecord {
        let address = UInt64(UInt(bitPattern: text.baseAddress))
        return EventRecord(
            .memberString, address | lastingMark, node: node, count: text.count)
    }

    /// As in cells.
    private static let lastingMark: UInt64 = 1 << 63

    /// The text of `member`.
    var memberText: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: UnsafeRawPointer(bitPattern: UInt(bits & ~Self.lastingMark)), count: count)
    }

    var kind: Kind {
        @inline(__always) get { Kind(rawValue: number).unsafelyUnwrapped }
    }
    /// A key and its scalar.
    var isMember: Bool { number <= Kind.memberString.rawValue }
    /// As `Kind.bit`.
    var bit: UInt32 { 1 << UInt32(number) }

    var int64: Int64 { Int64(bitPattern: bits) }
    var double: Double { Double(bitPattern: bits) }
    /// Of text, in bytes. No memory holds 2^48.
    var count: Int { Int(countHigh) << 32 | Int(countLow) }
}

extension UnsafePointer<EventRecord> {
    /// What a scalar with its key begins with.
    @inline(__always)
    var cell: Cell { UnsafeRawPointer(self).load(as: Cell.self) }
}
