import RestwayText
import XCTest

final class SHA256Tests: XCTestCase {
    private func digest(_ bytes: [UInt8], inPiecesOf size: Int) -> String {
        var digest = SHA256()
        var rest = bytes[...]
        while !rest.isEmpty {
            Array(rest.prefix(size)).withUnsafeBytes { digest.update($0) }
            rest = rest.dropFirst(size)
        }
        return digest.text()
    }

    func testTheExamplesOfTheStandard() {
        let examples = [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ]
        for (text, expected) in examples {
            for size in [1, 3, 64, 1_000] {
                XCTAssertEqual(digest(Array(text.utf8), inPiecesOf: size), expected)
            }
        }
    }

    func testAMillionBytesInPiecesOfAnySize() {
        let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        for size in [7, 63, 64, 65, 1 << 20] {
            XCTAssertEqual(
                digest(bytes, inPiecesOf: size),
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
        }
    }

    func testADigestCanBeReadBetweenPieces() {
        var digest = SHA256()
        Array("ab".utf8).withUnsafeBytes { digest.update($0) }
        _ = digest.text()
        Array("c".utf8).withUnsafeBytes { digest.update($0) }
        XCTAssertEqual(
            digest.text(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }
}
