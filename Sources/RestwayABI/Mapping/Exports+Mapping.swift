import RestwayDocument
import RestwayMapping
import RestwayObjects
import RestwayOutcome

public import CRestway

// mapping.h

@_cdecl("restway_answer_set_value") @implementation
public func restway_answer_set_value(
    _ answer: OpaquePointer?, _ value: UnsafePointer<restway_value>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let answer = try Argument.handle(AnswerHandle.self, answer, "answer")
        guard answer.takesValue else {
            throw Failure(.invalidArgument, "this question takes no value", field: "answer")
        }
        answer.value = try HostValue(value, "value").value("value")
    }
}

@_cdecl("restway_answer_set_message") @implementation
public func restway_answer_set_message(
    _ answer: OpaquePointer?, _ message: UnsafePointer<CChar>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        try Argument.handle(AnswerHandle.self, answer, "answer").message =
            try Argument.string(message, "message")
    }
}

@_cdecl("restway_api_add_transform") @implementation
public func restway_api_add_transform(
    _ api: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ decode: restway_transform_fn?,
    _ encode: restway_transform_fn?, _ context: UnsafeMutableRawPointer?,
    _ destroy: restway_destroy_fn?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let api = try Argument.handle(APIHandle.self, api, "api").api
        let name = try Argument.nonEmptyString(name, "name")
        guard decode != nil || encode != nil else { throw Argument.null("decode and encode") }
        try HostContext.lending(context, destroy) { context throws(Failure) in
            try api.addTransform(
                name,
                CustomTransform(
                    decode: Question.transform(decode, context),
                    encode: Question.transform(encode, context)))
        }
    }
}

@_cdecl("restway_api_add_attribute") @implementation
public func restway_api_add_attribute(
    _ api: OpaquePointer?, _ entity: UnsafePointer<CChar>?, _ name: UnsafePointer<CChar>?,
    _ source: UnsafePointer<CChar>?, _ type: restway_attribute_type,
    _ format: UnsafePointer<CChar>?, _ transform: UnsafePointer<CChar>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let api = try Argument.handle(APIHandle.self, api, "api").api
        guard let type = AttributeType(type) else {
            throw Failure(.invalidArgument, "type is none of RESTWAY_TYPE_*", field: "type")
        }
        try api.addAttribute(
            try Argument.nonEmptyString(name, "name"),
            toEntity: try Argument.nonEmptyString(entity, "entity"),
            source: try Argument.optionalString(source, "source"), type: type,
            format: try Argument.optionalString(format, "format"),
            transform: try Argument.optionalString(transform, "transform"))
    }
}

@_cdecl("restway_api_add_relationship") @implementation
public func restway_api_add_relationship(
    _ api: OpaquePointer?, _ entity: UnsafePointer<CChar>?, _ name: UnsafePointer<CChar>?,
    _ source: UnsafePointer<CChar>?, _ target: UnsafePointer<CChar>?, _ flags: UInt32,
    _ policy: restway_policy, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let api = try Argument.handle(APIHandle.self, api, "api").api
        let (many, byIdentity) = (
            UInt32(RESTWAY_RELATIONSHIP_MANY), UInt32(RESTWAY_RELATIONSHIP_BY_IDENTITY)
        )
        guard flags & ~(many | byIdentity) == 0 else {
            throw Failure(.invalidArgument, "flags has unknown bits: \(flags)", field: "flags")
        }
        guard let policy = Relationship.Policy(policy) else {
            throw Failure(.invalidArgument, "policy is none of RESTWAY_POLICY_*", field: "policy")
        }
        try api.addRelationship(
            try Argument.nonEmptyString(name, "name"),
            toEntity: try Argument.nonEmptyString(entity, "entity"),
            source: try Argument.optionalString(source, "source"),
            target: try Argument.nonEmptyString(target, "target"),
            isMany: flags & many != 0, isByIdentity: flags & byIdentity != 0, policy: policy)
    }
}

@_cdecl("restway_api_set_identity") @implementation
public func restway_api_set_identity(
    _ api: OpaquePointer?, _ entity: UnsafePointer<CChar>?, _ attribute: UnsafePointer<CChar>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        try Argument.handle(APIHandle.self, api, "api").api.setIdentity(
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
