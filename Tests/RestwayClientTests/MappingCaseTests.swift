import Glibc
import RestwayJSON
import RestwayObjects
import RestwayRouting
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// The mapping rules as cases: documents, answers, and the resulting content of the store.
final class MappingCaseTests: XCTestCase {
    /// The kinds of stores with which a case runs.
    enum StoreKind: CaseIterable {
        case memory
        case sqlite
    }

    /// A case that is being run.
    private struct Run {
        let transport = FakeTransport()
        let client: Client
        private let directory: String?
        let entities: [Entity]

        init(_ mappingCase: MappingCase, _ kind: StoreKind, isStrict: Bool = false) throws {
            let api = try TestAPI.load(mappingCase.document)
            var options = ClientOptions()
            options.baseURL = "http://cases.test"
            options.calls.isMappingStrict = isStrict
            directory = kind == .sqlite ? Self.newDirectory() : nil
            options.files.store = directory.map { $0 + "/objects.db" }
            client = try Client(
                api: api, options: options, transport: transport, clock: FakeClock())
            entities = api.definition.entityMappings.map(\.entity)
        }

        /// The failure of the exchange, if it failed, and its response, if there is one.
        func perform(_ exchange: MappingCase.Exchange) throws -> (Failure?, Response?) {
            let method = try XCTUnwrap(Method(token: exchange.method), exchange.name)
            var spec = RequestSpec(target: .path(method, exchange.path))
            if let description = exchange.draft,
                case .draft(let draft) = try client.store.caseTarget(description, entities)
            {
                spec.subject = .draft(draft, client.store)
                if exchange.isInserted { _ = try client.store.insert(draft) }
            }
            let call = try client.send(spec)
            let sent = transport.answer(exchange.status, exchange.body)
            if let expected = exchange.sent, case .bytes(let bytes) = sent.body {
                XCTAssertEqual(String(decoding: bytes, as: UTF8.self), expected, exchange.name)
            } else {
                XCTAssertNil(exchange.sent, "\(exchange.name) sent no body")
            }
            do {
                return (nil, try call.wait(milliseconds: 0))
            } catch {
                return (error, error.response)
            }
        }

        private static func newDirectory() -> String {
            var template = Array("/tmp/restway-case-XXXXXX".utf8CString)
            precondition(mkdtemp(&template) != nil)
            return template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        }

        func end() {
            client.close()
            guard let directory else { return }
            for suffix in ["", "-wal", "-shm"] { unlink("\(directory)/objects.db\(suffix)") }
            rmdir(directory)
        }

        func store() throws -> [String: [String]] { try client.store.caseText(entities) }

        func checkObjects(_ response: Response?, _ exchange: MappingCase.Exchange) throws {
            let response = try XCTUnwrap(response, exchange.name)
            XCTAssertEqual(response.isMapped, exchange.objects != nil, exchange.name)
            let expected = exchange.objects ?? []
            XCTAssertEqual(response.results.count, expected.count, exchange.name)
            for (range, (entity, references)) in zip(response.results, expected) {
                let objects = response.objects[range]
                let texts = try objects.map(client.store.caseReference)
                XCTAssertEqual("[\(texts.joined(separator: ","))]", references, exchange.name)
                XCTAssertEqual(
                    objects.map(\.entity.name), objects.map { _ in entity }, exchange.name)
            }
        }
    }

    func testEachCaseLeavesTheStoreAsItSays() throws {
        for kind in StoreKind.allCases {
            for mappingCase in try MappingCase.all() { try check(mappingCase, kind) }
        }
    }

    private func check(_ mappingCase: MappingCase, _ kind: StoreKind) throws {
        let run = try Run(mappingCase, kind)
        for exchange in mappingCase.exchanges {
            let (failure, response) = try run.perform(exchange)
            if exchange.isError {
                XCTAssertEqual(failure?.reason, .mapping, exchange.name)
            } else if exchange.status / 100 == 2 {
                XCTAssertNil(failure, exchange.name)
            } else {
                XCTAssertEqual(failure?.reason, .http, exchange.name)
            }
            XCTAssertEqual(response?.issues.map(\.keyPath), exchange.issues, exchange.name)
            XCTAssertEqual(response?.issueCount, exchange.issues.count, exchange.name)
            if exchange.checksObjects {
                try run.checkObjects(response, exchange)
            }
            if let store = exchange.store {
                checkEqual(try run.store(), store.filter { !$0.value.isEmpty }, exchange.name)
                XCTAssertEqual(
                    try run.client.store.caseUnsent(run.entities), exchange.unsent, exchange.name)
            }
        }
        run.end()
    }

    /// Returns only the objects that differ.
    private func checkEqual(
        _ found: [String: [String]], _ expected: [String: [String]], _ name: String
    ) {
        for entity in Set(found.keys).union(expected.keys) {
            let (found, expected) = (found[entity] ?? [], expected[entity] ?? [])
            XCTAssertEqual(
                found.filter { !expected.contains($0) }, expected.filter { !found.contains($0) },
                "\(name) \(entity)")
            if Set(found) == Set(expected) { XCTAssertEqual(found, expected, "\(name) \(entity)") }
        }
    }

    func testInStrictModeEachIssueFailsTheExchangeAndLeavesTheStoreAsItWas() throws {
        var failed = 0
        for kind in StoreKind.allCases {
            for mappingCase in try MappingCase.all() {
                let run = try Run(mappingCase, kind, isStrict: true)
                for exchange in mappingCase.exchanges where !exchange.isError {
                    let before = try run.store()
                    let (failure, _) = try run.perform(exchange)
                    guard !exchange.issues.isEmpty else {
                        XCTAssertNotEqual(failure?.reason, .mapping, exchange.name)
                        continue
                    }
                    failed += 1
                    XCTAssertEqual(try run.store(), before, exchange.name)
                    guard exchange.status / 100 == 2 else {
                        XCTAssertEqual(failure?.reason, .http, exchange.name)
                        continue
                    }
                    XCTAssertEqual(failure?.reason, .mapping, exchange.name)
                    XCTAssertEqual(failure?.details.map(\.path), exchange.issues, exchange.name)
                }
                run.end()
            }
        }
        XCTAssertGreaterThan(failed, 10)
    }
}
