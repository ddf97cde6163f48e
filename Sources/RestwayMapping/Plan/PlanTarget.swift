/// An attribute that takes a value.
struct PlanTarget {
    enum Conversion: UInt8 {
        case any, bool, int, double, string, iso8601, day, pattern, epoch, bytes, json
        case boolWords, intText, doubleText, numberAsText, url, base64Text, custom
    }

    let attribute: Int
    let conversion: Conversion
    let isIdentity: Bool
    /// The index into the tree's date formats or transforms, if the conversion needs one.
    let detail: Int

    /// The kinds of values that become a cell unchanged, as bits of `EventRecord.Kind.bit`.
    var directKinds: UInt32 {
        let kinds: [EventRecord.Kind] =
            switch conversion {
            case .any: [.memberString, .memberInt64, .memberDouble, .memberBool]
            case .bool: [.memberBool]
            case .int: [.memberInt64]
            case .double: [.memberDouble]
            case .string: [.memberString]
            default: []
            }
        return kinds.reduce(EventRecord.Kind.memberNull.bit) { bits, kind in
            let fits = !isIdentity || kind == .memberString || kind == .memberInt64
            return fits ? bits | kind.bit : bits
        }
    }

    /// Whether the target takes objects and lists, as JSON text.
    var takesContainers: Bool {
        (conversion == .json || conversion == .any || conversion == .custom) && !isIdentity
    }
}
