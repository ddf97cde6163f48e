public import FoundationEssentials
import RestwayCalls
import RestwayDocument
import RestwayJSON
import RestwayObjects
import RestwayOutcome
import RestwayStore
import RestwayThreads

/// Validators, parsers and encoders: functions of the program that the document names for the
/// answers and the bodies of a route. They are added before the first client is made, or for routes
/// that are added later. They run on a worker of the library, so they must not wait.
extension API {
    /// Adds the validator that the document calls `name`: a function that throws if it refuses an
    /// answer. The answer is not mapped yet.
    ///
    ///     try api.addValidator("signed") { response in
    ///         guard isSigned(response.body) else { throw Forged() }
    ///     }
    public func addValidator(
        _ name: String, _ validate: @escaping @Sendable (Response) throws -> Void
    ) throws(RestwayError) {
        // The API keeps the function, so the function must not keep the API.
        try changing { () throws(Failure) in
            try core.addValidator(name) { [weak core] response throws(Failure) in
                guard let core else { throw Failure.closed }
                let source = ObjectSource(withoutObjects: core)
                do {
                    try validate(Response(response, source))
                } catch {
                    throw Failure(thrown: error, by: "the function")
                }
            }
        }
    }

    /// Adds the parser that the document calls `name`: a function that makes a value of a body and
    /// its media type. `Response.value` has it, and `Response.decode` reads it.
    ///
    ///     try api.addParser("csv") { body, mediaType in JSON(rows(of: body)) }
    public func addParser(
        _ name: String,
        _ parse: @escaping @Sendable (Data, _ mediaType: String) throws -> any AttributeValue
    ) throws(RestwayError) {
        try changing { () throws(Failure) in
            try core.addParser(name) { bodyAndNUL, mediaType throws(Failure) in
                do {
                    return try parse(Data(bodyAndNUL.dropLast()), mediaType).attribute.core
                } catch {
                    throw Failure(thrown: error, by: "the function", .mapping)
                }
            }
        }
    }

    /// Adds the encoder that the document calls `name`: a function that writes the body of a
    /// request, whose values it gets as JSON.
    ///
    ///     try api.addEncoder("xml") { values in .text(xml(values), mediaType: "application/xml") }
    public func addEncoder(
        _ name: String, _ encode: @escaping @Sendable (JSON) throws -> RequestBody
    ) throws(RestwayError) {
        try changing { () throws(Failure) in
            try core.addEncoder(name) { jsonAndNUL throws(Failure) in
                do {
                    let values = try JSON(text: Array(jsonAndNUL.dropLast()))
                    let body = try encode(values).written
                    return EncodedBody(bytes: body.bytes, mediaType: body.mediaType)
                } catch {
                    throw Failure(thrown: error, by: "the function", .mapping)
                }
            }
        }
    }
}

extension ObjectSource {
    /// For answers that no store has objects of.
    init(withoutObjects api: RestwayDocument.API) {
        self.init(
            api: api,
            store: ObservedStore(
                MemoryStore(), clock: SystemClock(), timers: SystemTimers.shared),
            decoder: JSONCoding.decoder)
    }
}
