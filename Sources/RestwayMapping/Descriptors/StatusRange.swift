import RestwayText

/// The status codes that a descriptor applies to.
package struct StatusRange: Sendable, Hashable {
    package let codes: ClosedRange<Int>

    package static let success = StatusRange(codes: 200...299)

    private init(codes: ClosedRange<Int>) {
        self.codes = codes
    }

    /// Reads `2xx`, `404` or `200-299`; nil for any other text. Codes are 100 to 599.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        if bytes.count == 3, (0x31...0x35).contains(bytes[0]),
            bytes[1...].allSatisfy({ $0 | 0x20 == UInt8(ascii: "x") })
        {
            let first = Int(bytes[0] - 0x30) * 100
            codes = first...(first + 99)
            return
        }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(Self.code)
        guard parts.count <= 2, let first = parts[0], let last = parts[parts.count - 1],
            first <= last
        else { return nil }
        codes = first...last
    }

    package func contains(_ status: Int) -> Bool {
        codes.contains(status)
    }

    package func overlaps(_ other: StatusRange) -> Bool {
        codes.overlaps(other.codes)
    }

    private static func code(_ text: Substring) -> Int? {
        guard text.utf8.count == 3, text.utf8.allSatisfy(ASCII.isDigit),
            let code = Int(text), (100...599).contains(code)
        else { return nil }
        return code
    }
}
