import CCurl

/// `Retry-After` (RFC 9110, section 10.2.3).
package enum RetryAfter {
    /// How long to wait; `nil` when `value` is neither seconds nor a date. A date that has passed
    /// is 0.
    ///
    /// - Parameter wallMicroseconds: The time of day, since 1970.
    package static func milliseconds(_ value: String, wallMicroseconds: Int64) -> Int64? {
        guard !value.isEmpty else { return nil }
        if value.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) {
            // More digits than an Int64 holds are a very long time all the same.
            let (product, overflow) = (Int64(value) ?? .max).multipliedReportingOverflow(by: 1_000)
            return overflow ? .max : product
        }
        // A date starts with the name of its day in all three forms; libcurl would read more.
        guard value.utf8.first.map({ $0 >= 0x41 && $0 <= 0x5A }) == true else { return nil }
        let seconds = unsafe curl_getdate(value, nil)
        guard seconds >= 0 else { return nil }
        return max(0, Int64(seconds) * 1_000 - wallMicroseconds / 1_000)
    }
}
