import CZlib
import Glibc
import RestwayThreads
import XCTest

@testable import RestwayHTTP

/// Names and types of files, multipart forms, digests, and compression.
final class BodyPiecesTests: XCTestCase {
    func testEndingsOfNamesHaveTypesInEveryKindOfList() {
        let types = NamedMediaTypes(
            mimeTypes: "# a comment\nimage/jpeg\tjpeg jpg JPE\nempty/none\ntext/plain txt\n")
        XCTAssertEqual(types.type(of: "a.JPG"), "image/jpeg")
        XCTAssertEqual(types.type(of: "a.jpe"), "image/jpeg")
        XCTAssertEqual(types.type(of: "a.b.txt"), "text/plain")
        for name in ["", "txt", "a.", "a.none", "."] {
            XCTAssertEqual(types.type(of: name), "application/octet-stream")
        }
        let globs = NamedMediaTypes(
            globs: "# weights\n80:application/x-first:*.a\n50:application/x-second:*.a\n"
                + "50:application/x-compressed-tar:*.tar.gz\n50:application/gzip:*.gz\n"
                + "50:text/x-makefile:makefile\n")
        XCTAssertEqual(globs.type(of: "x.a"), "application/x-first")
        XCTAssertEqual(globs.type(of: "x.tar.gz"), "application/x-compressed-tar")
        XCTAssertEqual(globs.type(of: "x.txt.gz"), "application/gzip")
        XCTAssertEqual(globs.type(of: "makefile"), "application/octet-stream")
        XCTAssertEqual(NamedMediaTypes.short.type(of: "a.png"), "image/png")
    }

    func testAMultipartFormHasItsBytes() {
        let form = MultipartForm(
            fields: [
                FormField(name: "a", text: "ü\r\n"), FormField(name: "n\"", text: nil),
            ],
            files: [
                FormFile(
                    name: "f",
                    resource: Resource(.bytes([1, 13, 10]), name: "x\n", mediaType: "a/b"))
            ], boundary: "B")
        let expected = """
            --B
            Content-Disposition: form-data; name="a"

            ü

            --B
            Content-Disposition: form-data; name="n%22"


            --B
            Content-Disposition: form-data; name="f"; filename="x%0A"
            Content-Type: a/b

            \u{1}

            --B--

            """.replacing("\n", with: "\r\n")
        XCTAssertEqual(form.bytes.map { String(decoding: $0, as: UTF8.self) }, expected)
        XCTAssertEqual(form.contentType, "multipart/form-data; boundary=B")
        let empty = MultipartForm(fields: [], files: [], boundary: "B")
        XCTAssertEqual(empty.bytes.map { String(decoding: $0, as: UTF8.self) }, "--B--\r\n")
    }

    func testAFormWithAFileIsNotInMemory() {
        let file = Resource(.file(path: "/no/such.png"), name: nil, mediaType: nil)
        XCTAssertEqual(file.name, "such.png")
        XCTAssertEqual(file.mediaType, "image/png")
        let form = MultipartForm(fields: [], files: [FormFile(name: "f", resource: file)])
        XCTAssertNil(form.bytes)
        XCTAssertEqual(form.bodyParts.count, 3)
        XCTAssertThrowsError(try file.extent()) { error in
            let message = (error as? ResourceError)?.message
            XCTAssertEqual(
                message, "cannot find the file \"/no/such.png\": No such file or directory")
        }
    }

    func testDigestsAreTheStandardOnes() throws {
        let abc = Resource(.bytes(Array("abc".utf8)), name: nil, mediaType: nil)
        XCTAssertEqual(hex(try abc.digest(.md5)), "900150983cd24fb0d6963f7d28e17f72")
        XCTAssertEqual(
            hex(try abc.digest(.sha256)),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        let fields = try DigestHeaders.all.fields(of: abc)
        XCTAssertEqual(fields.map(\.name), ["Content-MD5", "Digest", "Repr-Digest"])
        XCTAssertEqual(fields[0].value, "kAFQmDzST7DWlj99KOF/cg==")
    }

    func testAReaderGivesAFileInPiecesAndAgain() throws {
        let path = "/tmp/restway-resource-\(getpid())"
        let content = (0..<1_000).map { UInt8(truncatingIfNeeded: $0) }
        let file = try XCTUnwrap(fopen(path, "w"))
        fwrite(content, 1, content.count, file)
        fclose(file)
        defer { unlink(path) }
        let resource = Resource(.file(path: path), name: nil, mediaType: nil)
        for size in [1, 7, 1_000, 4_000] {
            let reader = ResourceReader(resource, try resource.extent())
            for _ in 0..<2 {
                XCTAssertEqual(try whole(reader, size), content)
                try reader.rewind()
            }
        }
    }

    func testWhatIsCompressedInPiecesIsTheSame() throws {
        let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 * $0 / 7) }
        for size in [1_000, 64 << 10, 1 << 20] {
            let source = try XCTUnwrap(GzipSource(Pieces(content, size)))
            XCTAssertNil(source.length)
            let compressed = collect(source)
            XCTAssertEqual(try inflated(compressed), content)
        }
        XCTAssertEqual(try inflated(try XCTUnwrap(Gzip.compress(content))), content)
        XCTAssertEqual(try inflated(try XCTUnwrap(Gzip.compress([]))), [])
        XCTAssertEqual(try inflated(collect(try XCTUnwrap(GzipSource(Pieces([], 1))))), [])
    }

    private func whole(_ reader: ResourceReader, _ size: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: size)
        while true {
            let result = buffer.withUnsafeMutableBytes { buffer in
                Result { () throws(ResourceError) in try reader.read(into: buffer) }
            }
            let count = try result.get()
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
    }

    private func collect(_ source: GzipSource) -> [UInt8] {
        let bytes = Lock<[UInt8]>([])
        let hasEnded = Lock(false)
        while !hasEnded.withLock({ $0 }) {
            source.next { piece in
                switch piece {
                case .bytes(let more):
                    XCTAssertFalse(more.isEmpty)
                    bytes.withLock { $0 += more }
                case .end: hasEnded.withLock { $0 = true }
                case .failed(let error):
                    XCTFail(error.message)
                    hasEnded.withLock { $0 = true }
                }
            }
        }
        return bytes.withLock { $0 }
    }

    private func inflated(_ bytes: [UInt8]) throws -> [UInt8] {
        try ContentDecoder.decode(
            bytes, headers: Headers([HeaderField(name: "Content-Encoding", value: "gzip")]),
            bytesMax: 1 << 20)
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

/// A source that delivers at once.
private final class Pieces: BodySource {
    private let content: [UInt8]
    private let size: Int
    private let position = Lock(0)

    init(_ content: [UInt8], _ size: Int) {
        self.content = content
        self.size = size
    }

    var length: Int64? { Int64(content.count) }

    func next(_ deliver: @escaping @Sendable (BodyPiece) -> Void) {
        let range = position.withLock { position in
            let range = position..<min(position + size, content.count)
            position = range.upperBound
            return range
        }
        deliver(range.isEmpty ? .end : .bytes(Array(content[range])))
    }
}
