/// One event on a tape, or a key and its scalar together: 24 bytes.
struct EventRecord: BitwiseCopyable {
    enum Kind: UInt8 {
        case beginObject, endObject, beginArray, endArray
        /// A key as text, one whose place the writer has found, and one that leads nowhere.
        case key, foundKey, skippedKey
        case string, int64, double, bool, null, bytes, date, unrepresentable
        /// The value of `node`, which takes one attribute and nothing else.
        case memberString, memberInt64, memberDouble, memberBool
    }

    let kind: Kind
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
        self.kind = kind
        self.isOnTape = isOnTape
        countHigh = UInt16(truncatingIfNeeded: count >> 32)
        countLow = UInt32(truncatingIfNeeded: count)
        self.bits = bits
        self.node = node
    }

    var int64: Int64 { Int64(bitPattern: bits) }
    var double: Double { Double(bitPattern: bits) }
    /// Of text, in bytes. No memory holds 2^48.
    var count: Int { Int(countHigh) << 32 | Int(countLow) }
}
