import XCTest

@testable import RestwayRouting

/// Returns the message of the error that `body` throws.
func failure<Value>(
    _ body: @autoclosure () throws -> Value, file: StaticString = #filePath, line: UInt = #line
) -> RoutingError? {
    do {
        let value = try body()
        XCTFail("no error but \(value)", file: file, line: line)
        return nil
    } catch {
        return error as? RoutingError
    }
}

extension PathTemplate {
    func expand(with values: [String: VariableValue]) throws -> String {
        try expand { values[$0] }
    }

    func expand(with values: [String: String]) throws -> String {
        try expand { values[$0].map(VariableValue.string) }
    }
}

/// A generator with a seed, so that a failure can be repeated (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
