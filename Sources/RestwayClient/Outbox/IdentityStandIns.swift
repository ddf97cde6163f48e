import RestwayCalls
import RestwayMapping
import RestwayObjects
import RestwayOutbox
import RestwayOutcome

/// The local identities that one request uses for objects that the server has not named yet.
///
/// `@unchecked Sendable`: only one thread prepares a request.
final class IdentityStandIns: LocalIdentities, @unchecked Sendable {
    private let outbox: Outbox
    /// Why the request cannot go out as it is; `nil` while it uses no local identity.
    private(set) var used: Failure?
    /// The store keys of the objects that the path names.
    private var keysInPath: Set<Int64> = []

    init(_ outbox: Outbox) {
        self.outbox = outbox
    }

    /// Returns the value that the path uses for the identity of an object: its current identity or,
    /// if it has none, its local identity.
    func valueInPath(_ entity: Entity, _ storeKey: Int64) -> Value? {
        keysInPath.insert(storeKey)
        switch value(entity, storeKey) {
        case .known(let value): return value
        case .standIn(let text): return .string(text(.any))
        case nil: return nil
        }
    }

    /// Whether the path names the object. Then the request is about an object that exists.
    func isInPath(_ storeKey: Int64) -> Bool { keysInPath.contains(storeKey) }

    /// Returns the current identity of an object or, if it has none, its local identity.
    func value(_ entity: Entity, _ storeKey: Int64) -> IdentityForNow? {
        known(entity, storeKey)
            ?? outbox.local(entity, storeKey).map { standIn(entity, $0) }
    }

    /// Returns the identity, or the local identity, of an object that is written whole inside
    /// another object. It is `nil` if this request creates the inner object, because no stored
    /// request does.
    func valueInside(_ entity: Entity, _ storeKey: Int64) -> IdentityForNow? {
        known(entity, storeKey)
            ?? outbox.expected(entity, storeKey).map { standIn(entity, $0) }
    }

    /// Returns the identity, or the local identity, of the object that the request is about.
    ///
    /// - Parameters:
    ///   - mayCreate: Whether the method can create objects. Then the request creates the object,
    ///     unless the path names it.
    ///   - mayWait: Whether the request can be stored until the server has named the object.
    func valueOutermost(
        _ entity: Entity, _ storeKey: Int64, mayCreate: Bool, mayWait: Bool
    ) -> IdentityForNow? {
        if mayCreate, !isInPath(storeKey) { return nil }
        return mayWait ? value(entity, storeKey) : known(entity, storeKey)
    }

    private func known(_ entity: Entity, _ storeKey: Int64) -> IdentityForNow? {
        let newest = try? outbox.client?.store.newest(entity, storeKey: storeKey)
        switch newest?.identity {
        case .integer(let integer): return .known(.int64(integer))
        case .string(let string): return .known(.string(string))
        case nil: return nil
        }
    }

    private func standIn(_ entity: Entity, _ local: LocalID) -> IdentityForNow {
        let name = entity.identityIndex.map { entity.attributes[$0].name } ?? ""
        used = Failure(
            .missingVariable,
            "\(entity.name) has no \(name) yet, and the request may not wait for it", field: name)
        return .standIn { local.text(as: LocalID.Form($0)) }
    }
}

extension LocalID.Form {
    /// Chooses how an attribute with this conversion is written. The program's own transforms are
    /// not called when the identity arrives, because a process without these transforms may receive
    /// it.
    fileprivate init(_ conversion: ValueConversion) {
        self =
            switch conversion {
            case .intText: .text
            case .numberAsText: .number
            case .base64Text: .base64
            default: .plain
            }
    }
}
