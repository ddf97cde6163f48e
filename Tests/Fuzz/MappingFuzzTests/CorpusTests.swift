import Glibc
import MappingFuzz
import XCTest

/// The fuzzer's corpus, and inputs that it once found, run as ordinary tests.
final class CorpusTests: XCTestCase {
    func testNoInputOfTheCorpusTrapsOrMakesPhantoms() throws {
        let names = try names()
        XCTAssertGreaterThan(names.count, 100, "the corpus has not been found")
        for name in names {
            let input = try input(name)
            let complaint = input.withUnsafeBytes { FuzzedMapping.complaint(about: $0) }
            XCTAssertNil(complaint, name)
        }
    }

    func testTheCorpusIsMappedTheSameByEachWay() throws {
        for name in try names() {
            let input = try input(name)
            XCTAssertNil(input.withUnsafeBytes { FuzzedShortWays.complaint(about: $0) }, name)
        }
    }

    func testEventsInAnyOrderAreMappedTheSameByEachWay() {
        // A linear congruential generator gives the same inputs each time.
        var state: UInt32 = 7
        var complaints: [String] = []
        for length in 1...4_000 {
            var input: [UInt8] = []
            for _ in 0...(length % 97) {
                state = state &* 1_664_525 &+ 1_013_904_223
                input.append(UInt8(state >> 24))
            }
            input[0] |= 0x80
            let complaint = input.withUnsafeBytes { FuzzedShortWays.complaint(about: $0) }
            if let complaint { complaints.append("\(input): \(complaint)") }
        }
        XCTAssertEqual(complaints, [])
    }

    private let folder: String = {
        let parts = #filePath.split(separator: "/").dropLast(2)
        return "/" + parts.joined(separator: "/") + "/Corpus"
    }()

    private func names() throws -> [String] {
        let directory = try XCTUnwrap(opendir(folder), folder)
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    private func input(_ name: String) throws -> [UInt8] {
        let file = try XCTUnwrap(fopen("\(folder)/\(name)", "r"), name)
        defer { fclose(file) }
        var input = [UInt8](repeating: 0, count: 64 << 10)
        let count = fread(&input, 1, input.count, file)
        return Array(input[..<count])
    }
}
