import RandomRounds
import RestwayJansson
import RestwayMapping
import RestwayObjects
import XCTest

final class RandomJSONTests: XCTestCase {
    private let descriptors = [
        Model.descriptor(""), Model.descriptor("a"), Model.descriptor("a.b"),
        Model.descriptor(
            "address", Model.mapping([("id", .any), ("at", .json), ("at.lat", .any)])),
    ]

    func testNoJSONTrapsOrMakesPhantomsAndMappingTwiceEqualsMappingOnce() throws {
        var generator = Seeded(2_026)
        for _ in 0..<rounds(20_000) {
            let json = RandomJSON.text(&generator)
            let result = try map(json, descriptors)
            for row in result.rows {
                XCTAssertFalse(row.present.isEmpty, "a phantom in \(json)")
            }
            XCTAssertEqual(result.results.flatMap { $0 }.sorted(), Array(result.rows.indices), json)

            let store = MemoryStore(keyBefore: 0)
            let once = try store.commit(result.changeSet)
            let named = Set(once.objects.compactMap { $0.identity == nil ? nil : $0.storeKey })
            let anonymous = result.rows.filter { $0.identity == nil }.count
            XCTAssertEqual(store.count(nil), named.count + anonymous, json)

            let again = try store.commit(map(json, descriptors).changeSet)
            XCTAssertEqual(again.insertedCount, anonymous, json)
            XCTAssertEqual(again.objects.count, once.objects.count)
            for (first, second) in zip(once.objects, again.objects) where first.identity != nil {
                XCTAssertEqual(first.storeKey, second.storeKey, json)
                XCTAssertEqual(first.present, second.present, json)
            }
        }
    }

    func testCapturedTextIsJSONOfTheSameValue() throws {
        var generator = Seeded(5)
        for _ in 0..<rounds(5_000) {
            let json = RandomJSON.text(&generator)
            let first = try map(#"{"json":\#(json)}"#).rows[0].value(named: "json")
            guard case .json(let text) = first else {
                XCTAssertEqual(first, .null, json)
                continue
            }
            XCTAssertEqual(try map(#"{"json":\#(text)}"#).rows[0].value(named: "json"), first, json)
        }
    }

    func testNoBytesTrap() {
        var generator = Seeded(9)
        let machinePlan = MappingPlan(descriptors)
        for _ in 0..<rounds(5_000) {
            var bytes = Array(RandomJSON.text(&generator).utf8)
            for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[index] = UInt8.random(in: .min ... .max, using: &generator)
            }
            let machine = MappingMachine(plan: machinePlan)
            bytes.withUnsafeBytes {
                try? JanssonMapper().decode($0, into: machine, limits: MappingLimits())
            }
            _ = try? machine.finish()
        }
    }
}
