package import RestwayObjects
import RestwayText

/// Booleans that a payload writes as words or numbers.
///
/// These values are read: `true`, `yes`, `on`, `1` and `false`, `no`, `off`, `0` in any case, the
/// numbers 1 and 0, booleans, and the two configured words.
package struct BoolWords: Sendable, Equatable {
    /// The written values, which are strings or int64s.
    private let whenTrue: Value
    private let whenFalse: Value

    /// - Parameters: The values to write, which are strings or int64s. Nil if they could not be
    ///   told apart.
    package init?(true whenTrue: Value = .string("true"), false whenFalse: Value = .string("false"))
    {
        self.whenTrue = whenTrue
        self.whenFalse = whenFalse
        guard case .string(let left) = whenTrue, case .string(let right) = whenFalse else {
            guard whenTrue != whenFalse else { return nil }
            return
        }
        if Self.isEqual(Array(left.utf8), right) { return nil }
    }

    package func word(_ value: Bool) -> Value {
        value ? whenTrue : whenFalse
    }

    func read(_ text: UnsafeRawBufferPointer) -> Bool? {
        if case .string(let word) = whenTrue, Self.isEqual(text, word) { return true }
        if case .string(let word) = whenFalse, Self.isEqual(text, word) { return false }
        for (word, value) in Self.words where Self.isEqual(text, word) { return value }
        return nil
    }

    func read(_ number: Int64) -> Bool? {
        if whenTrue == .int64(number) { return true }
        if whenFalse == .int64(number) { return false }
        return number == 1 ? true : number == 0 ? false : nil
    }

    private static let words: [(String, Bool)] = [
        ("true", true), ("false", false), ("yes", true), ("no", false), ("on", true),
        ("off", false), ("1", true), ("0", false),
    ]

    /// Compares two words without regard to the case of ASCII letters.
    private static func isEqual(_ text: some Collection<UInt8>, _ word: String) -> Bool {
        let word = word.utf8
        return text.count == word.count
            && zip(text, word).allSatisfy { ASCII.lowercased($0) == ASCII.lowercased($1) }
    }
}
