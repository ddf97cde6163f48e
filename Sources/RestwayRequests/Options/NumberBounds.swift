import RestwayHTTP
package import RestwayOutcome

/// The numbers that an option may have, and its default, as the header states them.
package struct NumberBounds: Sendable {
    package let allowed: ClosedRange<Int64>
    /// Whether 0 means none at all. In C, -1 means it, because 0 is the default.
    package let hasNone: Bool
    /// Whether a number stands for no limit: -1 in C, and 0 in the core.
    package let hasNoLimit: Bool
    /// The default; 0 for no limit.
    package let standard: Int64

    package init(
        _ allowed: ClosedRange<Int64>, hasNone: Bool = false, hasNoLimit: Bool = false,
        standard: Int64 = 0
    ) {
        self.allowed = allowed
        self.hasNone = hasNone
        self.hasNoLimit = hasNoLimit
        self.standard = standard
    }

    /// Reads a number of a C struct: `nil` for 0, with which the program sets no value, and 0 for
    /// a -1 that means none or no limit.
    ///
    /// - Parameter name: The name of the field, for the message.
    package func read(_ value: Int64, _ name: String) throws(Failure) -> Int64? {
        if value == 0 { return nil }
        let takesMinusOne = hasNone || hasNoLimit
        if value == -1, takesMinusOne { return 0 }
        guard allowed.contains(value) else {
            throw Self.outOfRange(value, allowed, name, also: takesMinusOne ? -1 : nil)
        }
        return value
    }

    /// Refuses a number of Swift that is out of range.
    ///
    /// - Parameter name: The name of the setting, for the message.
    package func check(_ value: Int64, _ name: String) throws(Failure) {
        guard allowed.contains(value) || value == 0 && hasNone else {
            throw Self.outOfRange(value, allowed, name, also: hasNone ? 0 : nil)
        }
    }

    /// Returns the failure for a number out of its range.
    package static func outOfRange(
        _ value: Int64, _ allowed: ClosedRange<Int64>, _ name: String, also other: Int64? = nil
    ) -> Failure {
        let (low, high) = (allowed.lowerBound, allowed.upperBound)
        var text = high == .max ? "\(low) or more" : low == high ? "\(low)" : "\(low) to \(high)"
        if let other { text = "\(other), or \(text)," }
        return Failure(
            .invalidArgument, "\(name) is out of range: \(value) (\(text) is allowed)", field: name)
    }
}

/// The numbers among the options of a client, with the defaults filled in.
package struct ClientNumbers: Sendable {
    private var stated = [Int?](repeating: nil, count: ClientNumber.allCases.count)

    package init() {}

    /// A number that the program has stated, or else the default.
    package subscript(_ number: ClientNumber) -> Int {
        get { stated[number.rawValue] ?? Int(number.bounds.standard) }
        set { stated[number.rawValue] = newValue }
    }

    /// Returns a number that the program has stated; `nil` if it has stated none.
    package func stated(_ number: ClientNumber) -> Int64? {
        stated[number.rawValue].map { Int64($0) }
    }

    /// Reads a number of the C struct.
    package mutating func read(
        _ number: ClientNumber, _ value: some BinaryInteger, _ name: String
    ) throws(Failure) {
        stated[number.rawValue] = try number.bounds.read(Int64(value), name).map { Int($0) }
    }

    /// Takes a number of Swift.
    package mutating func take(
        _ number: ClientNumber, _ value: Int, _ name: String
    ) throws(Failure) {
        try number.bounds.check(Int64(value), name)
        stated[number.rawValue] = value
    }
}

extension ExchangeTimeouts {
    /// The time limits of a client that states none.
    static let standard = {
        func limit(_ number: ClientNumber) -> Int64 { number.bounds.standard }
        var timeouts = ExchangeTimeouts(
            totalMilliseconds: limit(.timeoutMilliseconds),
            connectMilliseconds: limit(.connectTimeoutMilliseconds),
            firstByteMilliseconds: limit(.firstByteTimeoutMilliseconds),
            idleMilliseconds: limit(.idleTimeoutMilliseconds))
        timeouts.tooSlowMilliseconds = limit(.tooSlowMilliseconds)
        return timeouts
    }()
}
