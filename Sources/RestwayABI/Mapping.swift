public import CRestway
import RestwayCalls
import RestwayDocument
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayThreads

// mapping.h

@_cdecl("restway_answer_set_value") @implementation
public func restway_answer_set_value(
    _ answer: InHandle, _ value: In<restway_value>?, _ outError: OutHandle?
) -> restway_status {
    AnswerHandle.using(answer, outError) { answer throws(Failure) in
        guard answer.takesValue else {
            throw Argument.wrong("answer", "this question takes no value")
        }
        answer.value = try HostValue(value, "value").attributeValue("value")
    }
}

@_cdecl("restway_answer_set_message") @implementation
public func restway_answer_set_message(
    _ answer: InHandle, _ message: CString?, _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        try AnswerHandle.argument(answer).message =
            try Argument.string(message, "message")
    }
}

@_cdecl("restway_answer_set_cause") @implementation
public func restway_answer_set_cause(
    _ answer: InHandle, _ cause: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?,
    _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        try AnswerHandle.argument(answer).cause = HostContext(cause, destroy)
    }
}

@_cdecl("restway_api_add_transform") @implementation
public func restway_api_add_transform(
    _ api: InHandle, _ name: CString?, _ decode: restway_transform_fn?,
    _ encode: restway_transform_fn?, _ context: UnsafeMutableRawPointer?,
    _ destroy: restway_destroy_fn?, _ outError: OutHandle?
) -> restway_status {
    APIHandle.using(api, outError) { handle throws(Failure) in
        let name = try Argument.nonEmptyString(name, "name")
        guard decode != nil || encode != nil else { throw Argument.null("decode and encode") }
        try HostContext.lending(context, destroy) { context throws(Failure) in
            try handle.api.addTransform(
                name,
                CustomTransform(
                    decode: Question.transform(decode, context),
                    encode: Question.transform(encode, context)))
        }
    }
}

@_cdecl("restway_api_add_attribute") @implementation
public func restway_api_add_attribute(
    _ api: InHandle, _ entity: CString?, _ name: CString?, _ source: CString?,
    _ type: restway_attribute_type, _ format: CString?, _ transform: CString?,
    _ outError: OutHandle?
) -> restway_status {
    APIHandle.using(api, outError) { handle throws(Failure) in
        guard let type = AttributeType(type) else {
            throw Argument.wrong(
                "type", "type is \(type.rawValue), which is not one of RESTWAY_TYPE_*")
        }
        try handle.api.addAttribute(
            try Argument.nonEmptyString(name, "name"),
            toEntity: try Argument.nonEmptyString(entity, "entity"),
            source: try Argument.optionalString(source, "source"), type: type,
            format: try Argument.optionalString(format, "format"),
            transform: try Argument.optionalString(transform, "transform"))
    }
}

@_cdecl("restway_api_add_relationship") @implementation
public func restway_api_add_relationship(
    _ api: InHandle, _ entity: CString?, _ name: CString?, _ source: CString?, _ target: CString?,
    _ flags: UInt32, _ policy: restway_policy, _ outError: OutHandle?
) -> restway_status {
    APIHandle.using(api, outError) { handle throws(Failure) in
        let many = UInt32(RESTWAY_RELATIONSHIP_MANY)
        let byIdentity = UInt32(RESTWAY_RELATIONSHIP_BY_IDENTITY)
        try Argument.flags(flags, known: many | byIdentity)
        guard let policy = Relationship.Policy(policy) else {
            throw Argument.wrong(
                "policy", "policy is \(policy.rawValue), which is not one of RESTWAY_POLICY_*")
        }
        try handle.api.addRelationship(
            try Argument.nonEmptyString(name, "name"),
            toEntity: try Argument.nonEmptyString(entity, "entity"),
            source: try Argument.optionalString(source, "source"),
            target: try Argument.nonEmptyString(target, "target"),
            isMany: flags & many != 0, isByIdentity: flags & byIdentity != 0, policy: policy)
    }
}

@_cdecl("restway_api_set_identity") @implementation
public func restway_api_set_identity(
    _ api: InHandle, _ entity: CString?, _ attribute: CString?, _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        try APIHandle.argument(api).api.setIdentity(
            try Argument.optionalString(attribute, "attribute"),
            ofEntity: try Argument.nonEmptyString(entity, "entity"))
    }
}

extension AttributeType {
    init?(_ type: restway_attribute_type) {
        switch type {
        case .RESTWAY_TYPE_ANY: self = .any
        case .RESTWAY_TYPE_BOOL: self = .bool
        case .RESTWAY_TYPE_INT: self = .int
        case .RESTWAY_TYPE_DOUBLE: self = .double
        case .RESTWAY_TYPE_STRING: self = .string
        case .RESTWAY_TYPE_DATE: self = .date
        case .RESTWAY_TYPE_BYTES: self = .bytes
        case .RESTWAY_TYPE_JSON: self = .json
        default: return nil
        }
    }
}

extension Relationship.Policy {
    init?(_ policy: restway_policy) {
        switch policy {
        case .RESTWAY_POLICY_ASSIGN: self = .assign
        case .RESTWAY_POLICY_MERGE: self = .merge
        case .RESTWAY_POLICY_REPLACE: self = .replace
        default: return nil
        }
    }
}

/// The answer of a question's function, besides its status.
///
/// `@unchecked Sendable`: only one thread uses it, while the question is asked.
final class AnswerHandle: HandleObject, @unchecked Sendable {
    let takesValue: Bool
    let takesMediaType: Bool
    var value: Value?
    var mediaType: String?
    var message: String?
    var cause: HostContext?
    let generation = ProcessGeneration.current

    init(takesValue: Bool, takesMediaType: Bool = false) {
        self.takesValue = takesValue
        self.takesMediaType = takesMediaType
    }
}

/// Makes questions that have an answer handle, above all during the mapping of a response, call C
/// functions.
enum Question {
    /// Makes one direction of a transform. Its context ends when nothing uses the transform any
    /// more.
    static func transform(
        _ ask: restway_transform_fn?, _ context: HostContext
    ) -> CustomTransform.Function? {
        guard let ask else { return nil }
        return { value throws(TransformError) in
            let answer = AnswerHandle(takesValue: true)
            let refusal = Self.ask(for: answer) { answer in
                value.lend { ask(context.pointer, $0, answer) }
            }
            if let refusal { throw TransformError(refusal.reason, cause: refusal.cause) }
            return answer.value ?? .absent
        }
    }

    /// Makes a hook. Its context ends when nothing uses the hook any more.
    static func hook(_ ask: restway_hook_fn, _ context: HostContext) -> Hook {
        { rows throws(Failure) in
            let handle = RowsHandle(rows)
            let refusal = Self.ask { answer in
                Handle.lending(handle) { ask(context.pointer, $0, answer) }
            }
            if let refusal { throw refusal.failure() }
        }
    }

    /// How a function of the program has failed.
    struct Refusal {
        let status: restway_status
        /// The reason, for a message.
        let reason: String
        let cause: HostContext?

        /// - Parameter prefix: The beginning of the message.
        func failure(_ prefix: String = "") -> Failure {
            var failure = Failure(status, prefix + reason)
            failure.cause = cause
            return failure
        }
    }

    /// Calls a function of the program. Returns `nil` if the function has not failed.
    static func ask(
        for answer: AnswerHandle = AnswerHandle(takesValue: false),
        _ function: (OpaquePointer) -> restway_status
    ) -> Refusal? {
        let status = CallbackScope.run { Handle.lending(answer, function) }
        guard status != .RESTWAY_OK else { return nil }
        let reason = answer.message.map { "\($0) (\(status.name))" } ?? "failed with \(status.name)"
        return Refusal(status: status, reason: reason, cause: answer.cause)
    }
}
