import XCTest

@testable import RestwayMapping

final class ScratchStackTests: XCTestCase {
    /// Stacks keep their content, also when they outgrow their memory.
    func testStacksKeepTheirElements() {
        for count in [0, 1, 3, 4, 5, 700] {
            var flags = ScratchStack<Bool>()
            var numbers = ScratchStack<Int>()
            var bytes = ScratchStack<UInt8>()
            for index in 0..<count {
                flags.push(index % 3 == 0)
                numbers.push(index * index)
                bytes.push(repeating: UInt8(truncatingIfNeeded: index), 2)
            }
            for index in 0..<count {
                XCTAssertEqual(flags[index], index % 3 == 0)
                XCTAssertEqual(numbers[index], index * index)
                XCTAssertEqual(bytes[2 * index + 1], UInt8(truncatingIfNeeded: index))
            }
            flags.destroy()
            numbers.destroy()
            bytes.destroy()
        }
    }
}
