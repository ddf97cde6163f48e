public import CRestway
import RestwayJSON
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayStore
import RestwayThreads

/// A set of path variables that the program changes, from any thread.
final class ScopeHandle: HandleObject, Sendable {
    let variables: Lock<[String: RequestSpec.Variable]>
    let generation = ProcessGeneration.current

    init(_ variables: [String: RequestSpec.Variable]) {
        self.variables = Lock(variables)
    }

    func copy() -> [String: RequestSpec.Variable] {
        variables.withLock { $0 }
    }
}

// scope.h

@_cdecl("restway_scope_create") @implementation
public func restway_scope_create(
    _ parent: InHandle, _ outScope: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    Boundary.creating(outScope, outError, "out_scope") { () throws(Failure) in
        ScopeHandle(parent == nil ? [:] : try ScopeHandle.argument(parent, "parent").copy())
    }
}

@_cdecl("restway_scope_set_variable") @implementation
public func restway_scope_set_variable(
    _ scope: InHandle, _ name: CString?, _ value: In<restway_value>?, _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let scope = try ScopeHandle.argument(scope)
        let name = try Argument.nonEmptyString(name, "name")
        let variable = try HostValue(value, "value").variable(name)
        scope.variables.withLock { $0[name] = variable }
    }
}

@_cdecl("restway_scope_request") @implementation
public func restway_scope_request(
    _ scope: InHandle, _ request: InHandle, _ outRequest: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    Boundary.creating(outRequest, outError, "out_request") { () throws(Failure) in
        let variables = try ScopeHandle.argument(scope).copy()
        var spec = try RequestHandle.argument(request).copy()
        spec.addScope(variables)
        return RequestHandle(spec)
    }
}

@_cdecl("restway_store_variables") @implementation
public func restway_store_variables(
    _ store: InHandle, _ object: InHandle, _ buffer: Out<CChar>?, _ capacity: Int,
    _ outLength: Out<Int>?, _ outError: OutHandle?
) -> restway_status {
    Boundary.filling(buffer, capacity, outLength, outError) { () throws(Failure) in
        let store = try StoreHandle.argument(store).store
        let object = try Snapshot.argument(object)
        let found = try store.variables(object.entity, storeKey: object.storeKey)
        return found?.json ?? "{}"
    }
}

extension RouteVariables {
    /// The variables as a JSON object.
    fileprivate var json: String {
        var text = JSONText(capacity: 64)
        text.append("{")
        for (index, pair) in pairs.enumerated() {
            if index > 0 { text.append(", ") }
            text.append(string: pair.name)
            text.append(": ")
            text.append(string: pair.value)
        }
        text.append("}")
        return String(decoding: text.bytes, as: UTF8.self)
    }
}
