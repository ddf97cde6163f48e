import RestwayMapping

/// Turns bytes into events in any order, like a mapper that violates its contract.
enum FuzzEvents {
    private static let integers: [Int64] = [0, 1, 2, -1, .min, .max, 1_000_000_000_000]
    private static let doubles = [
        0, -0.0, 1, 1.5, 1e300, .infinity, -.infinity, .nan, .leastNonzeroMagnitude,
    ]
    private static let strings = [
        "", "1", "2013-02-03T04:05:06Z", "03/02/2013", "AP8=", "text", "\u{0}\"\\\u{1F}é",
        "yes", "-12", "1.5e3", "https://a.example/b?c#d",
    ]

    static func push(_ bytes: UnsafeRawBufferPointer, into machine: any EventSink) {
        for byte in bytes {
            let choice = Int(byte >> 4)
            switch byte & 0xF {
            case 0...2: _ = machine.beginObject()
            case 3: _ = machine.endObject()
            case 4: _ = machine.beginArray(count: nil)
            case 5: _ = machine.endArray()
            case 6: _ = machine.int64(integers[choice % integers.count])
            case 7: _ = machine.double(doubles[choice % doubles.count])
            case 8: _ = machine.bool(choice & 1 == 1)
            case 9: _ = machine.null()
            case 10: withText(strings[choice % strings.count]) { _ = machine.string($0) }
            case 11: withText("1e999") { _ = machine.numberText($0) }
            case 12: withText(FuzzModel.keys[16]) { _ = machine.key($0) }
            case 13 where choice & 1 == 0: _ = machine.date(integers[choice % integers.count])
            case 13: withText(strings[choice % strings.count]) { _ = machine.bytes($0) }
            default: withText(FuzzModel.keys[choice]) { _ = machine.key($0) }
            }
        }
    }

    private static func withText(_ text: String, _ body: (UnsafeRawBufferPointer) -> Void) {
        var text = text
        text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}
