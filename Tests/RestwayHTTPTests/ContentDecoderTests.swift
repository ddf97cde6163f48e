import CZlib
import CZstd
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
        XCTAssertEqual(decode(Self.brotliText, "br"), .success(text))
        XCTAssertEqual(decode(zstd(text), "zstd"), .success(text))
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
    }

    func testABodyWithAnUnknownCodingStaysAsItIs() {
        let whole = deflated(text, 31)
        XCTAssertEqual(decode(whole, "aws-chunked, gzip"), .success(text))
        XCTAssertEqual(decode(text, "utf-8"), .success(text))
        for coding in ["compress", "gzip, compress", "Compress,br,compress"] {
            XCTAssertEqual(decode(whole, coding), .success(whole), coding)
            let headers = Headers([HeaderField(name: "Content-Encoding", value: coding)])
            XCTAssertEqual(
                ContentDecoder.reasonNotDecoded(headers),
                "the body's content coding is unknown: compress", coding)
        }
        for coding in ["gzip, X-Gzip", "identity", "deflate, br, zstd", ""] {
            let headers = Headers([HeaderField(name: "Content-Encoding", value: coding)])
            XCTAssertNil(ContentDecoder.reasonNotDecoded(headers), coding)
        }
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

    // MARK: Piece by piece

    /// What libbrotlienc makes of `text`.
    private static let brotliText = bytes("5f7fa9835f02200f01e6b03c01a293da4c77be48e800")
    /// What libbrotlienc makes of "a short body".
    private static let brotliShort = bytes("1f0b00f82540aa10456a056ca402")
    /// What libbrotlienc makes of 20,000,000 zeros.
    private static let brotliBomb = bytes("cfffff7ff82700e2b14020f7fe3fff5962f04f00c46101802e490c")

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(digits[$0] << 4 | digits[$0 + 1])
        }
    }

    private func zstd(_ bytes: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: ZSTD_compressBound(bytes.count))
        let count = ZSTD_compress(&output, output.count, bytes, bytes.count, 3)
        XCTAssertEqual(ZSTD_isError(count), 0)
        return Array(output[..<count])
    }

    /// "a short body" in each coding.
    private var short: [(coding: String, body: [UInt8])] {
        let plain = Array("a short body".utf8)
        return [
            ("gzip", deflated(plain, 31)), ("deflate", deflated(plain, 15)),
            ("deflate", deflated(plain, -15)), ("br", Self.brotliShort), ("zstd", zstd(plain)),
        ]
    }

    /// Decodes a body in pieces of `size` bytes.
    private func decode(
        _ body: [UInt8], _ coding: String, inPiecesOf size: Int, bytesMax: Int = 1 << 30
    ) -> Result<[UInt8], BodyError> {
        let headers = Headers([HeaderField(name: "Content-Encoding", value: coding)])
        return Result { () throws(BodyError) in
            let decoder = try ContentDecoder(headers, bytesMax: bytesMax)
            var decoded: [UInt8] = []
            var rest = body[...]
            while !rest.isEmpty {
                let piece = Array(rest.prefix(size))
                rest = rest.dropFirst(size)
                try piece.withUnsafeBufferPointer { bytes throws(BodyError) in
                    try decoder.feed(UnsafeRawBufferPointer(bytes)) { (piece) throws(BodyError) in
                        decoded.append(contentsOf: piece)
                    }
                }
            }
            try decoder.end()
            return decoded
        }
    }

    func testPiecesOfAnySizeMakeTheWholeBody() {
        let twice = deflated(zstd(text), 31)
        for size in [1, 2, 3, 7, 1_000, 1 << 20] {
            for (coding, body) in short {
                XCTAssertEqual(
                    decode(body, coding, inPiecesOf: size), .success(Array("a short body".utf8)),
                    "\(coding), \(size)")
            }
            XCTAssertEqual(decode(twice, "zstd, gzip", inPiecesOf: size), .success(text))
            XCTAssertEqual(decode(Self.brotliText, "br", inPiecesOf: size), .success(text))
            XCTAssertEqual(decode(text, "identity", inPiecesOf: size), .success(text))
            XCTAssertEqual(
                decode(deflated([1], 31) + deflated([2], 31), "gzip", inPiecesOf: size),
                .success([1, 2]))
            XCTAssertEqual(
                decode(zstd([1]) + zstd([2]), "zstd", inPiecesOf: size), .success([1, 2]))
        }
    }

    func testATruncationAtEveryByteIsAnErrorInEveryCoding() {
        for (coding, body) in short {
            for count in 1..<body.count {
                for size in [1, body.count] {
                    XCTAssertEqual(
                        decode(Array(body[..<count]), coding, inPiecesOf: size),
                        .failure(.truncated(coding: coding)), "\(coding), \(count)")
                }
            }
        }
    }

    func testBytesBehindTheEndAreAnErrorInEveryCoding() {
        for (coding, body) in short {
            XCTAssertEqual(
                decode(body + [0, 0, 0, 0, 0], coding),
                .failure(.trailingBytes(coding: coding, count: 5)), coding)
            guard case .failure = decode(body + [0, 0, 0, 0, 0], coding, inPiecesOf: 1) else {
                XCTFail("\(coding): bytes behind the end are dropped")
                continue
            }
        }
    }

    func testABombIsStoppedAtTheBoundInEveryCoding() {
        let zeros = [UInt8](repeating: 0, count: 20_000_000)
        let bombs = [
            ("gzip", deflated(zeros, 31)), ("deflate", deflated(zeros, 15)),
            ("br", Self.brotliBomb), ("zstd", zstd(zeros)),
            ("gzip, gzip", deflated(deflated(zeros, 31), 31)),
        ]
        for (coding, bomb) in bombs {
            XCTAssertEqual(
                decode(bomb, coding, bytesMax: 1_000_000), .failure(.tooLarge(bytesMax: 1_000_000)),
                coding)
            XCTAssertEqual(decode(bomb, coding).map(\.count), .success(zeros.count), coding)
        }
    }

    func testAZstdWindowAboveEightMebibytesIsRefused() {
        // A frame header that asks for a window of 16 MiB, and an empty last block.
        let body: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 14 << 3, 0x01, 0x00, 0x00]
        XCTAssertEqual(decode(body, "zstd"), .failure(.corrupt(coding: "zstd")))
    }
}
