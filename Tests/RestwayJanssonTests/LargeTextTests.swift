import Foundation
import RandomRounds
import RestwayJansson
import RestwayMapping
import RestwayObjects
import XCTest

/// Reading a text in parts must give the same result as reading it as a whole.
final class LargeTextTests: XCTestCase {
    private enum Outcome: Equatable {
        case events([String])
        case failure(MapperError)
    }

    private static let whole = sizes(bytesMin: .max)

    /// Each of these splits even the smallest texts, in another way.
    private static let apart = [
        sizes(bytesMin: 0, partBytes: 1), sizes(bytesMin: 0, partBytes: 20),
        sizes(bytesMin: 12, partBytes: 4), sizes(bytesMin: 5, partBytes: 1_000),
        sizes(bytesMin: 0, partBytes: 8, openedDepthMax: 1),
        sizes(bytesMin: 0, partBytes: 8, openedDepthMax: 1_000),
        sizes(bytesMin: 0, partBytes: 8, membersMax: 2),
    ]

    private static func sizes(
        bytesMin: Int, partBytes: Int = 1, openedDepthMax: Int = 4, membersMax: Int = 64
    ) -> LargeText {
        var sizes = LargeText()
        sizes.bytesMin = bytesMin
        sizes.partBytes = partBytes
        sizes.openedDepthMax = openedDepthMax
        sizes.membersMax = membersMax
        return sizes
    }

    private func decode(
        _ bytes: [UInt8], _ sizes: LargeText, _ limits: MappingLimits = MappingLimits()
    ) -> Outcome {
        let sink = RecordingSink()
        do throws(MapperError) {
            let result: Result<Void, MapperError> = bytes.withUnsafeBytes { bytes in
                Result { () throws(MapperError) in
                    try JanssonMapper(sizes).decode(bytes, into: sink, limits: limits)
                }
            }
            try result.get()
            return .events(sink.events)
        } catch {
            return .failure(error)
        }
    }

    private func assertTheSame(_ bytes: [UInt8], _ limits: MappingLimits = MappingLimits()) {
        let expected = decode(bytes, Self.whole, limits)
        for sizes in Self.apart {
            XCTAssertEqual(
                decode(bytes, sizes, limits), expected,
                "\(String(decoding: bytes, as: UTF8.self)) with \(sizes)")
        }
    }

    func testEveryFormIsTheSameInParts() {
        for text in [
            "[]", "{}", "[ ]", "{ }", " [ 1 ] ", "\u{FEFF}[1, 2]", "[[], {}, [[]], \"x\"]", "1",
            "\"x\"", " null ", #"{"a":1,"b":[1,2,3],"c":{"d":[{}]}}"#, "[1e999, 2, -1e400]",
            #"{"n" : 123456789012345678901234567890 , "m":[99999999999999999999]}"#,
            #"{"a":1,"b":2,"a":[3]}"#, #"{"a":[{"b":1,"b":2}],"\u0061":0}"#,
            #"["\\", "\"", "\\\"", "],[", "{", "}"]"#, #"{"},{":"}","\"":[":"]}"#,
            #"{"skip":[1,{"a":2}],"b":[{"skip":[[]]}, 3]}"#, #"["\u0000", {"a":"\u0000"}]"#,
            #"{"a\u0000":1,"b":[{"\u0000":1e999},{"a\\u0000":"\u0000"}],"a\u0001":2}"#,
        ] {
            assertTheSame(Array(text.utf8))
        }
    }

    func testEveryMistakeIsTheSameInParts() {
        for text in [
            "", " ", "[", "{", "]", "}", "[1", "[1,", "[1,]", "[,1]", "[,]", "[1 2]", "[1]]",
            "[1] x", "[1}", "{]", "[[1]", "[{]}", "[1],[2]", "[\"x]", "[\"x\\", "[\"\\\"]",
            #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{,"a":1}"#, #"{"a":1 "b":2}"#, #"{"a" 1}"#,
            #"{"a":1]"#, #"{"a":[1}"#, #"{"a":[1]1}"#, #"{"a":[1] [2]}"#, #"{"a":1}}"#, "{1:2}",
            #"{a:1}"#, #"{"a":1:2}"#, #"{"a":[1,]}"#, #"{"a":[,]}"#,
            "\u{FEFF}\u{FEFF}[1]", "[\u{FEFF}1]", "{\"a\":\u{FEFF}1}", "[tru]",
            "[1, \n 2,\n x]", #"{"a":["\ud800"]}"#,
        ] {
            guard case .failure = decode(Array(text.utf8), Self.whole) else {
                XCTFail("not wrong: \(text)")
                continue
            }
            assertTheSame(Array(text.utf8))
        }
    }

    func testRandomTextsAndBrokenOnesAreTheSameInParts() {
        var generator = Seeded(77)
        for _ in 0..<rounds(1_500) {
            var bytes = Array(RandomJSON.text(&generator).utf8)
            assertTheSame(bytes)
            for _ in 0..<Int.random(in: 1...2, using: &generator) where !bytes.isEmpty {
                let index = Int.random(in: bytes.indices, using: &generator)
                bytes[index] = Array("[]{},:\"\\ 1x".utf8).randomElement(using: &generator)!
            }
            assertTheSame(bytes)
        }
    }

    func testNestingIsLimitedTheSameInParts() {
        for depth in 1...12 {
            for text in [
                String(repeating: "[", count: depth) + String(repeating: "]", count: depth),
                String(repeating: #"{"a":"#, count: depth) + "1"
                    + String(repeating: "}", count: depth),
                String(repeating: #"{"skip":[1,"#, count: depth) + "1"
                    + String(repeating: "]}", count: depth),
            ] {
                assertTheSame(Array(text.utf8), MappingLimits(nestingDepthMax: 6))
            }
        }
    }

    func testNothingIsPushedAfterStopInParts() throws {
        let body = Array(#"{"a":[1,2,{"b":"x"}],"c":3}"#.utf8)
        for sizes in Self.apart {
            for allowed in 0..<13 {
                let sink = RecordingSink(stoppingAfter: allowed)
                try body.withUnsafeBytes {
                    try JanssonMapper(sizes).decode($0, into: sink, limits: MappingLimits())
                }
                XCTAssertEqual(sink.events.count, min(allowed + 1, 13))
            }
        }
    }

    func testAMistakeDeepInALargeBodySaysWhereItStands() throws {
        let element = #"{"id":1,"string":"element"},"# + "\n"
        let before = "[\n" + String(repeating: element, count: 10_000)
        XCTAssertThrowsError(try map(before + #"{"id":tru}]"#)) {
            let error = $0 as? MapperError
            XCTAssertEqual(error?.line, 10_002)
            XCTAssertEqual(error.map { $0.byteOffset > before.utf8.count }, true)
        }
    }

    func testALargeBodyNeedsLittleMemoryBesideItsObjects() throws {
        let isSanitized = ["__asan_init", "__tsan_init"].contains { (symbol: String) in
            dlsym(nil, symbol) != nil
        }
        try XCTSkipIf(isSanitized, "sanitizers bring an allocator that keeps what is freed")
        // The sink skips everything, so the remaining memory belongs to the reader itself.
        let element = #"{"a":[1,2,3,{"b":"text"}],"c":{"d":0.5}}"#
        let elements = repeatElement(element, count: 400_000).joined(separator: ",")
        let body = Array("[\(elements)]".utf8)
        let before = try restartPeak()
        let machine = MappingMachine(plan: MappingPlan([Model.descriptor("none")]))
        try body.withUnsafeBytes {
            try JanssonMapper().decode($0, into: machine, limits: MappingLimits())
        }
        // As one tree it takes 200 MB.
        XCTAssertLessThan(try peakKilobytes() - before, 8 << 10)
    }

    /// Resets the kernel's peak of resident memory; returns the present value.
    private func restartPeak() throws -> Int {
        try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .ascii)
        return try peakKilobytes()
    }

    private func peakKilobytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try XCTUnwrap(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try XCTUnwrap(Int(line.split(whereSeparator: { !$0.isNumber })[0]))
    }
}
