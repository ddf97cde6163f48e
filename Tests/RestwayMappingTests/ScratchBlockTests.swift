import XCTest

@testable import RestwayMapping

final class ScratchBlockTests: XCTestCase {
    /// Stacks of one block keep their content, also when they outgrow it.
    func testStacksKeepTheirElements() {
        for count in [0, 1, 3, 4, 5, 700] {
            var block = ScratchBlock()
            var flags: ScratchStack<Bool> = block.lend(3)
            var numbers: ScratchStack<Int> = block.lend(4)
            var bytes = block.lendRest()
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
            block.destroy()
        }
    }
}
