import CZlib
import RestwayHTTP
import XCTest

final class ContentDecoderTests: XCTestCase {
    private let text = Array(String(repeating: "enterprises, employees. ", count: 10_000).utf8)

    /// Compresses with zlib's `windowBits`: 15 zlib, 31 gzip, -15 raw.
    private func deflated(_ bytes: [UInt8], _ windowBits: Int32) -> [UInt8] {
        var stream = z_stream()
        XCTAssertEqual(rw_deflate_init(&stream, 6, windowBits), Z_OK)
        defer { deflateEnd(&stream) }
        var input = bytes
        var output = [UInt8](repeating: 0, count: bytes.count + 1_000)
        let space = output.count
        input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                stream.next_in = source.baseAddress
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(space)
                XCTAssertEqual(deflate(&stream, Z_FINISH), Z_STREAM_END)
            }
        }
        return Array(output[..<(space - Int(stream.avail_out))])
    }

    private func decode(
        _ body: [UInt8], _ codings: String..., bytesMax: Int = 1 << 30
    ) -> Result<[UInt8], BodyError> {
        let fields = codings.map { HeaderField(name: "content-encoding", value: $0) }
        return Result { () throws(BodyError) in
            try ContentDecoder.decode(body, headers: Headers(fields), bytesMax: bytesMax)
        }
    }

    func testEveryCodingIsUndone() {
        XCTAssertEqual(decode(deflated(text, 31), "gzip"), .success(text))
        XCTAssertEqual(decode(deflated(text, 31), " X-GZip "), .success(text))
        XCTAssertEqual(decode(deflated(text, 15), "deflate"), .success(text))
        XCTAssertEqual(decode(deflated(text, -15), "Deflate"), .success(text))
        XCTAssertEqual(decode(text, "identity"), .success(text))
        XCTAssertEqual(decode(text), .success(text))
        XCTAssertEqual(decode([], "gzip"), .success([]))
        XCTAssertEqual(decode([], "br"), .success([]))
    }

    func testStackedCodingsAreUndoneFromTheLast() {
        let twice = deflated(deflated(text, 15), 31)
        XCTAssertEqual(decode(twice, "deflate, gzip"), .success(text))
        XCTAssertEqual(decode(twice, "deflate", "identity,gzip"), .success(text))
        XCTAssertEqual(decode(twice, "gzip, deflate"), .failure(.corrupt(coding: "deflate")))
        XCTAssertEqual(
            decode(twice, "gzip,gzip,gzip,gzip,gzip"), .failure(.tooManyCodings(max: 4)))
    }

    func testSeveralGzipMembersAreOneBody() {
        XCTAssertEqual(
            decode(deflated([1, 2], 31) + deflated([3], 31), "gzip"), .success([1, 2, 3]))
    }

    func testEveryTruncationIsAnError() {
        let whole = deflated(Array("a short body".utf8), 31)
        for count in 1..<whole.count {
            XCTAssertEqual(
                decode(Array(whole[..<count]), "gzip"), .failure(.truncated(coding: "gzip")),
                "\(count)")
        }
        let long = deflated(text, 15)
        XCTAssertEqual(
            decode(Array(long.dropLast()), "deflate"), .failure(.truncated(coding: "deflate")))
    }

    func testJunkAndDamageAreErrors() {
        let whole = deflated(text, 31)
        XCTAssertEqual(
            decode(whole + [0, 0, 0], "gzip"),
            .failure(.trailingBytes(coding: "gzip", count: 3)))
        XCTAssertEqual(decode(text, "gzip"), .failure(.corrupt(coding: "gzip")))
        var damaged = whole
        damaged[damaged.count - 6] ^= 1
        XCTAssertEqual(decode(damaged, "gzip"), .failure(.corrupt(coding: "gzip")))
        XCTAssertEqual(decode(text, "br"), .failure(.unknownCoding("br")))
    }

    func testABombIsStoppedAtTheBound() {
        let bomb = deflated([UInt8](repeating: 0, count: 20_000_000), 31)
        XCTAssertLessThan(bomb.count, 30_000)
        XCTAssertEqual(
            decode(bomb, "gzip", bytesMax: 1_000_000), .failure(.tooLarge(bytesMax: 1_000_000)))
        XCTAssertTrue(BodyError.tooLarge(bytesMax: 7).message.contains("7"))
    }

    func testTheBoundItselfIsReachable() {
        let whole = deflated(text, 31)
        XCTAssertEqual(decode(whole, "gzip", bytesMax: text.count), .success(text))
        XCTAssertEqual(
            decode(whole, "gzip", bytesMax: text.count - 1),
            .failure(.tooLarge(bytesMax: text.count - 1)))
        XCTAssertEqual(decode(whole, "gzip", bytesMax: .max), .success(text))
    }
}
