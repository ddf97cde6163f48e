import CRestway
import RestwayCalls
import RestwayObjects
import RestwayRouting

/// Makes the question which relationships stay out of requests call a C function.
enum Exclusion {
    static func asking(
        _ exclude: restway_exclude_fn, _ context: HostContext
    ) -> CallFunctions.Exclusion {
        { method, path, entity, relationship in
            let index = entity.relationshipIndex(named: relationship.name)
            let name = index.flatMap { entity.relationshipNameCString(at: $0) }
            return method.rawValue.withCString { method in
                func ask(_ path: UnsafePointer<CChar>?) -> Bool? {
                    let answer = exclude(context.pointer, method, path, entity.nameCString, name)
                    return answer < 0 ? nil : answer > 0
                }
                guard let path else { return ask(nil) }
                return path.withCString(ask)
            }
        }
    }
}
