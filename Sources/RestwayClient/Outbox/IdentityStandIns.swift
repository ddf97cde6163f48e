import RestwayObjects
import RestwayOutbox

/// What stands in one request for the identities of objects that the server has not named yet.
///
/// `@unchecked Sendable`: one thread prepares a request.
final class IdentityStandIns: @unchecked Sendable {
    private let client: Client
    private let outbox: Outbox
    /// Why the request cannot go out as it is; `nil` while nothing stands in it.
    private(set) var used: Failure?

    init(_ client: Client, _ outbox: Outbox) {
        self.client = client
        self.outbox = outbox
    }

    /// The identity that the object has by now, else its local one.
    func value(_ entity: Entity, _ storeKey: Int64) -> Value? {
        known(entity, storeKey)
            ?? outbox.local(entity, storeKey).map { standIn(entity, $0) }
    }

    /// The same of an object that is written whole inside of another one: that creates it, unless
    /// a stored request does.
    func valueInside(_ entity: Entity, _ storeKey: Int64) -> Value? {
        known(entity, storeKey)
            ?? outbox.expected(entity, storeKey).map { standIn(entity, $0) }
    }

    private func known(_ entity: Entity, _ storeKey: Int64) -> Value? {
        let newest = try? client.store.newest(entity, storeKey: storeKey)
        switch newest?.identity {
        case .integer(let integer): return .int64(integer)
        case .string(let string): return .string(string)
        case nil: return nil
        }
    }

    private func standIn(_ entity: Entity, _ local: LocalID) -> Value {
        let name = entity.identityIndex.map { entity.attributes[$0].name } ?? ""
        used = Failure(
            .missingVariable,
            "\(entity.name) has no \(name) yet, and the request may not wait for it", field: name)
        return .string(local.text)
    }
}
