package import RestwayOutcome
package import RestwayThreads

/// The modifiers and the interceptors that a document names, for all requests or for a route.
package struct StageNames: Sendable {
    package var modifiers: [String] = []
    package var interceptors: [String] = []
}

/// The context in which a modifier or an interceptor is asked. `PipelineContext` implements it;
/// this module only hands it to the program's function.
package protocol StageContext: HandleObject {
    /// How messages name a function of its stage.
    var noun: String { get }
}

/// A modifier or an interceptor of the program. It returns why the program lets the call fail;
/// `nil` if it does not. It is a question.
package typealias AskStage = @Sendable (any StageContext) -> Failure?
