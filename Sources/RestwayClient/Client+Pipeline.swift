package import RestwayCalls
import RestwayDocument
package import RestwayOutcome
import RestwayRouting

/// The modifiers and the interceptors of a client.
extension Client {
    /// Adds a function. Returns its number, with which it is removed.
    ///
    /// - Parameter routes: The names of the routes that it is for; empty for all requests.
    package func addStage(
        _ stage: Pipeline.Stage, routes: [String], _ ask: @escaping StageFunction.Ask
    ) throws(Failure) -> Int64 {
        let known = api.loaded.definition.routes
        for name in routes {
            do {
                _ = try known.route(named: name)
            } catch {
                throw Failure(error)
            }
        }
        var number: Int64 = 0
        try calls.setFunctions { number = $0.pipeline.add(stage, routes: routes, ask) }
        return number
    }

    /// Removes a function. Returns false if no function has the number.
    package func removeStage(_ number: Int64) throws(Failure) -> Bool {
        var isRemoved = false
        try calls.setFunctions { isRemoved = $0.pipeline.remove(number) }
        return isRemoved
    }
}
