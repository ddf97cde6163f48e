/// An attribute that takes a value.
struct PlanTarget {
    enum Conversion: UInt8 {
        case any, bool, int, double, string, iso8601, day, pattern, epoch, bytes, json
        case boolWords, intText, doubleText, numberAsText, url, base64Text, custom
    }

    let attribute: Int
    let conversion: Conversion
    let isIdentity: Bool
    /// Index into the tree's date formats or transforms, where the conversion needs one.
    let detail: Int

    /// Whether objects and lists fit, as JSON text.
    var takesContainers: Bool {
        (conversion == .json || conversion == .any || conversion == .custom) && !isIdentity
    }
}
