import RestwayHTTP
import RestwayObjects
import RestwayRouting
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// An api for objects that are sent, and a client of it.
class SubmissionTestCase: XCTestCase {
    class var document: String { """
        {
          "restway": 1,
          "environments": {"test": {"baseURL": "http://api.test/v2"}},
          "entities": {
            "Company": {
              "identity": "itemID",
              "attributes": {
                "itemID": {"source": "id", "type": "int"},
                "name": {"type": "string"},
                "city": {"source": "address.city", "type": "string"}
              },
              "relationships": {
                "staff": {"entity": "Person", "many": true, "policy": "merge"},
                "owner": {"source": "owner_id", "entity": "Person", "byIdentity": true}
              }
            },
            "Person": {
              "identity": "key",
              "attributes": {"key": {}, "name": {"type": "string"}},
              "relationships": {"employer": {"entity": "Company"}}
            },
            "Status": {"attributes": {"text": "text"}}
          },
          "routes": {
            "addCompany": {"method": "POST", "path": "companies", "entity": "Company",
                           "parameters": {"source": "default", "company": {"name": "default"}},
                           "response": {"entity": "Company", "keyPath": "company"},
                           "request": {"keyPath": "company", "exclude": ["staff"]}},
            "company": {"method": ["GET", "PUT", "PATCH", "DELETE"], "path": "companies/:itemID",
                        "entity": "Company", "response": {"entity": "Company"}},
            "logo": {"method": "DELETE", "path": "companies/:itemID/logo",
                     "response": {"entity": "Company"}},
            "people": {"method": "POST", "path": "people", "entity": "Person",
                       "response": {"entity": "Person"}},
            "person": {"method": ["PUT", "DELETE"], "entity": "Person",
                       "path": "companies/:employer.itemID/people/:key"},
            "purge": {"method": "DELETE", "path": "purge/:key", "request":
                      {"entity": "Person", "method": "DELETE", "keyPath": "a.b"}}
          },
          "responses": [{"method": "POST", "path": "companies", "entity": "Status",
                         "keyPath": "status"}],
          "requests": [
            {"method": ["PUT", "PATCH"], "path": "companies/:itemID", "entity": "Company",
             "nulls": "omit", "changedOnly": true},
            {"method": "PUT", "path": "companies/:itemID", "entity": "Company"}
          ]
        }
        """
    }

    /// It is closed with its client.
    private(set) var transport = FakeTransport()
    private(set) var client: Client!

    override func setUpWithError() throws {
        client = try makeClient()
    }

    override func tearDown() {
        client.close()
        client = nil
    }

    /// Replaces the client by another one.
    func replaceClient(_ make: (FakeTransport) throws -> Client) throws {
        client.close()
        transport = FakeTransport()
        client = try make(transport)
    }

    func makeClient(_ change: (inout ClientOptions) -> Void = { _ in }) throws -> Client {
        var options = ClientOptions()
        change(&options)
        return try Client(
            api: try TestAPI.load(Self.document), options: options, transport: transport)
    }

    func entity(_ name: String) throws -> Entity { try client.api.entity(named: name) }

    func draft(_ entity: String, _ values: [String: Value] = [:]) throws -> Draft {
        let draft = Draft(try self.entity(entity))
        for (name, value) in values { try set(draft, name, value) }
        return draft
    }

    func set(_ draft: Draft, _ name: String, _ value: Value) throws {
        try draft.set(value, attribute: XCTUnwrap(draft.entity.attributeIndex(named: name)))
    }

    func spec(_ method: RestwayRouting.Method, _ draft: Draft) -> RequestSpec {
        RequestSpec(target: .subject(method), subject: .draft(draft, client.store))
    }

    /// Returns the result of `spec` on a worker.
    func prepared(_ spec: RequestSpec, _ exclusion: BodyQuestions.Exclusion? = nil) throws
        -> PreparedRequest
    {
        try client.calls.prepare(
            spec, client.api.loaded, BodyQuestions(exclusion: exclusion).asking())
    }

    /// Returns the body that `spec` sends.
    func body(_ spec: RequestSpec) throws -> String? {
        let request = try prepared(spec)
        guard case .bytes(let bytes) = request.exchange.body else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    @discardableResult
    func send(
        _ spec: RequestSpec, _ status: Int = 200, _ answer: String = "", through own: Client? = nil
    ) throws -> Response {
        let call = try (own ?? client).send(spec)
        transport.answer(status, answer)
        return try call.wait(milliseconds: 0)
    }

    /// Stores a company with the values that the server sends.
    func company(_ json: String, through own: Client? = nil) throws -> Snapshot {
        try XCTUnwrap(send(.get("companies/1"), 200, json, through: own).objects.first)
    }

    func count(_ name: String) throws -> Int { try client.store.count(entity(name)) }

    func newest(_ object: Snapshot) throws -> Snapshot? {
        try client.store.newest(object.entity, storeKey: object.storeKey)
    }
}
