import RestwayCalls
import RestwayDocument
import RestwayHTTP
import RestwayObjects
import RestwayRouting
import XCTest

@testable import RestwayClient
@testable import RestwayOutbox
@testable import RestwayRequests

/// The state of an object in the table, from before its first request to its identity.
final class LocalIdentityTableTests: OutboxTestCase {
    private func words(_ state: LocalIdentityTable.IdentityState) -> String {
        switch state {
        case .known(let identity): "known \(identity)"
        case .pending: "pending"
        case .never: "never"
        }
    }

    private func inserted(_ client: Client) throws -> Snapshot {
        let draft = Draft(try client.api.entity(named: "Thing"))
        try draft.set(.string("new"), attribute: 1)
        return try client.store.insert(draft)
    }

    private func states(_ client: Client, _ object: Snapshot) throws -> [String] {
        let identityTable = try client.requireOutbox().identityTable
        return [
            words(identityTable.identityState(object.entity, object.storeKey)),
            words(identityTable.storedIdentityState(object.entity, object.storeKey)),
        ]
    }

    func testPreparingARequestChangesNothingAndSendingItDoes() throws {
        let client = try client()
        let object = try inserted(client)
        let post = RequestSpec(target: .subject(.post), subject: .object(object))
        let put = RequestSpec(target: .subject(.put), subject: .object(object))
        _ = try client.curlCommand(post, reveals: true)
        XCTAssertEqual(try states(client, object), ["never", "never"])
        XCTAssertEqual(refusal { _ = try client.send(put) }?.reason, .missingVariable)
        let call = try client.send(post)
        XCTAssertEqual(try states(client, object), ["pending", "never"], "it is not stored")
        // A request about the object is sent after the request that creates it.
        let behind = try client.send(put)
        transport.answer(201, #"{"id":7,"name":"new"}"#)
        XCTAssertEqual(try call.wait(milliseconds: 0).status, 201)
        XCTAssertEqual(transport.answer(200, "{}").url, "http://api.test/v1/things/7")
        XCTAssertEqual(try behind.wait(milliseconds: 0).status, 200)
        XCTAssertEqual(try states(client, object), ["known 7", "known 7"])
    }

    func testAStoredRequestSaysWhereItsLocalIdentitiesStand() throws {
        let client = try client()
        try client.setReachability(.unreachable)
        let object = try inserted(client)
        try queue(client, RequestSpec(target: .subject(.post), subject: .object(object)))
        XCTAssertEqual(try states(client, object), ["pending", "pending"])
        let outbox = try client.requireOutbox()
        let local = try XCTUnwrap(outbox.identityTable.local(object.entity, object.storeKey))
        let identities = RequestIdentities(outbox)
        XCTAssertEqual(identities.places(path: local.text, body: .none), [], "it uses no identity")
        _ = identities.valueInPath(object.entity, object.storeKey, attribute: 0)
        let body = Array(#"{"id":"\#(local.text)"}"#.utf8)
        let places = identities.places(path: "/things/\(local.text)", body: .bytes(body))
        XCTAssertEqual(places.map(\.local), [local, local])
        XCTAssertEqual(places.map(\.start), [8, 7])
        XCTAssertEqual(places.map(\.part), [.path, .body])
    }
}
