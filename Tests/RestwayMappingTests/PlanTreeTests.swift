import XCTest

@testable import RestwayMapping

final class PlanTreeTests: XCTestCase {
    private func tree(_ keys: [String]) -> PlanTree {
        var draft = PlanDraft()
        for (index, key) in keys.enumerated() {
            draft.add(
                AttributeMapping(attribute: index, source: [key], conversion: .any),
                isIdentity: false)
        }
        return PlanTree(draft)
    }

    private func find(_ key: String, _ tree: PlanTree) -> Int? {
        Array(key.utf8).withUnsafeBytes { key in
            tree.root.pointee.child(key)?.pointee.targets.first?.attribute
        }
    }

    func testEveryKeyOfAnyLengthIsFoundAndItsNeighboursAreNot() {
        let long = String(repeating: "k", count: 40)
        var keys = [""]
        for count in 1...40 { keys.append(String(long.prefix(count))) }
        // Equal in length, head and tail: only a comparison of all bytes tells them apart.
        keys += ["12345678-a-12345678", "12345678-b-12345678"]
        let tree = tree(keys)
        for (index, key) in keys.enumerated() { XCTAssertEqual(find(key, tree), index, key) }
        for key in ["x", "kx", "kkx", long + "k", "12345678-c-12345678", "\u{0}"] {
            XCTAssertNil(find(key, tree), key)
        }
    }

    func testRandomKeysAreFound() {
        var generator = Seeded(11)
        for _ in 0..<50 {
            var keys: Set<String> = []
            for _ in 0..<Int.random(in: 1...60, using: &generator) {
                let letters = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
                    Character(UnicodeScalar(UInt8.random(in: 97...99, using: &generator)))
                }
                keys.insert(String(letters))
            }
            let all = Array(keys)
            let tree = tree(Array(all.dropLast()))
            for (index, key) in all.dropLast().enumerated() {
                XCTAssertEqual(find(key, tree), index)
            }
            XCTAssertNil(find(all.last!, tree))
        }
    }

    func testCanonicallyEqualKeysAreDifferentKeys() {
        let tree = tree(["\u{E9}", "e\u{301}"])
        XCTAssertEqual(find("\u{E9}", tree), 0)
        XCTAssertEqual(find("e\u{301}", tree), 1)
    }
}
