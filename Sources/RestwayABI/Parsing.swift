public import CRestway
import RestwayCalls
import RestwayClient
import RestwayDocument
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayThreads

// parsing.h

@_cdecl("restway_api_add_validator") @implementation
public func restway_api_add_validator(
    _ api: InHandle, _ name: CString?, _ validate: restway_validate_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?, _ outError: OutHandle?
) -> restway_status {
    HostContext.registering(
        api, name, validate, "validate", context, destroy, outError
    ) { api, name, validate, context throws(Failure) in
        try api.addValidator(name, Question.validator(validate, context))
    }
}

@_cdecl("restway_api_add_parser") @implementation
public func restway_api_add_parser(
    _ api: InHandle, _ name: CString?, _ parse: restway_parse_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?, _ outError: OutHandle?
) -> restway_status {
    HostContext.registering(
        api, name, parse, "parse", context, destroy, outError
    ) { api, name, parse, context throws(Failure) in
        try api.addParser(name, Question.parser(parse, context))
    }
}

@_cdecl("restway_api_add_encoder") @implementation
public func restway_api_add_encoder(
    _ api: InHandle, _ name: CString?, _ encode: restway_encode_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?, _ outError: OutHandle?
) -> restway_status {
    HostContext.registering(
        api, name, encode, "encode", context, destroy, outError
    ) { api, name, encode, context throws(Failure) in
        try api.addEncoder(name, Question.encoder(encode, context))
    }
}

@_cdecl("restway_answer_set_media_type") @implementation
public func restway_answer_set_media_type(
    _ answer: InHandle, _ mediaType: CString?, _ outError: OutHandle?
) -> restway_status {
    AnswerHandle.using(answer, outError) { answer throws(Failure) in
        guard answer.takesMediaType else {
            throw Argument.wrong("answer", "this question takes no media type")
        }
        answer.mediaType = try Argument.mediaType(mediaType)
    }
}

@_cdecl("restway_request_set_parser") @implementation
public func restway_request_set_parser(
    _ request: InHandle, _ parser: CString?, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.changing(request, outError) { spec throws(Failure) in
        spec.reception.parser =
            parser == nil ? nil : try Argument.nonEmptyString(parser, "parser")
    }
}

@_cdecl("restway_response_parser") @implementation
public func restway_response_parser(_ response: InHandle) -> CString! {
    ResponseHandle.text(response, "parser") { $0.response.parsed.parserName }
}

@_cdecl("restway_response_value") @implementation
public func restway_response_value(
    _ response: InHandle, _ outValue: Out<restway_value>?, _ outError: OutHandle?
) -> restway_status {
    ResponseHandle.writing(
        response, outValue, restway_value(), outError, "out_value"
    ) { handle throws(Failure) in
        try handle.value()
    }
}

@_cdecl("restway_client_map") @implementation
public func restway_client_map(
    _ client: InHandle, _ entity: CString?, _ data: UnsafeRawPointer?, _ length: Int,
    _ options: In<restway_map_options>?, _ outResponse: OutHandle?, _ outStore: OutHandle?,
    _ outError: OutHandle?
) -> restway_status {
    outStore?.pointee = nil
    return ClientHandle.creating(
        client, outResponse, outError, "out_response"
    ) { client throws(Failure) in
        let bytes = Body(copying: try Argument.bytes(data, length, "data"))
        let order = try BytesMapping(entity, options)
        let (response, store) = try client.calls.map(bytes, order)
        outStore?.pointee = Handle.give(StoreHandle(client.api, store))
        return ResponseHandle(response)
    }
}

extension BytesMapping {
    /// Reads the arguments of `restway_client_map`.
    init(_ entity: CString?, _ pointer: In<restway_map_options>?) throws(Failure) {
        let fields = try MapOptionsFields(pointer)
        let entity = try Argument.optionalString(entity, "entity")
        let keyPath = fields.keyPath
        switch (entity, fields.route) {
        case (let entity?, nil):
            self.init(.entity(entity, keyPath: try keyPath.map(API.keyPath) ?? []))
        case (nil, let route?):
            guard keyPath == nil else {
                throw Argument.wrong("options.key_path", "a route has key paths of its own")
            }
            self.init(.route(route))
        case (nil, nil): throw Argument.null("entity")
        case (_?, _?):
            throw Argument.wrong("options.route", "an entity or a route maps the bytes, not both")
        }
        mapper = fields.mapper
        if let type = fields.mediaType { mediaType = type }
        makesSnapshots = fields.flags & RESTWAY_MAP_SNAPSHOTS != 0
        if let progress = fields.progress {
            // The caller waits, so its context lives until the last call.
            let context = HostContext(fields.context, nil)
            progressed = { done, total in
                progress(context.pointer, Int64(done), Int64(total ?? -1)) == 0
            }
        }
    }
}

extension ParsedValue {
    fileprivate var parserName: String {
        switch self {
        case .objects, .value: ParserChoice.objects.name
        case .json: ParserChoice.json.name
        case .text: ParserChoice.text.name
        case .bytes: ParserChoice.bytes.name
        case .headers: ParserChoice.headers.name
        case .nothing: ParserChoice.nothing.name
        case .made(let name, _): name
        }
    }
}

extension ResponseHandle {
    /// Returns the value that the parser has made, borrowed from this handle.
    fileprivate func value() throws(Failure) -> restway_value {
        switch response.parsed {
        case .objects: return restway_value(.RESTWAY_VALUE_ABSENT)
        case .value(let value, _): return try self.value(value)
        case .headers, .nothing, .json(isEmpty: true): return restway_value_null()
        case .json:
            guard let json else { return restway_value_null() }
            let start = UnsafeRawPointer(json.start).assumingMemoryBound(to: UInt8.self)
            return try Self.value(.RESTWAY_VALUE_JSON, start, json.count)
        case .bytes:
            return try Self.value(.RESTWAY_VALUE_BYTES, bodyStart, response.bodyCount)
        case .text(let text):
            let start = text.bytesAndNUL.withUnsafeBufferPointer { $0.baseAddress! }
            return try Self.value(.RESTWAY_VALUE_STRING, start, text.count)
        case .made(_, let value): return try self.value(value)
        }
    }

    private func value(_ value: Value) throws(Failure) -> restway_value {
        switch value {
        case .string(let text): return try lent(.RESTWAY_VALUE_STRING, Array(text.utf8))
        case .json(let text): return try lent(.RESTWAY_VALUE_JSON, Array(text.utf8))
        case .bytes(let bytes): return try lent(.RESTWAY_VALUE_BYTES, bytes)
        case .absent, .null, .bool, .int64, .double, .date, .link, .links:
            return value.lend(\.pointee)
        }
    }

    private func lent(
        _ kind: restway_value_kind, _ bytes: [UInt8]
    ) throws(Failure) -> restway_value {
        let made = made(bytes)
        return try Self.value(
            kind, UnsafeRawPointer(made.start).assumingMemoryBound(to: UInt8.self), made.count)
    }

    private static func value(
        _ kind: restway_value_kind, _ start: UnsafePointer<UInt8>, _ count: Int
    ) throws(Failure) -> restway_value {
        guard let length = UInt32(exactly: count) else {
            throw Failure(.tooLarge, "the value has \(count) bytes, and 4 GiB are too many")
        }
        var value = restway_value(kind)
        value.length = length
        value.as.bytes = start
        return value
    }
}

extension Question {
    /// Makes a validator. Its context ends when nothing uses the validator any more.
    static func validator(_ ask: restway_validate_fn, _ context: HostContext) -> Validator {
        { response throws(Failure) in
            let handle = ResponseHandle(response)
            let refusal = Self.ask { answer in
                Handle.lending(handle) { ask(context.pointer, $0, answer) }
            }
            if let refusal { throw refusal.failure() }
        }
    }

    /// Makes a parser. Its context ends when nothing uses the parser any more.
    static func parser(_ ask: restway_parse_fn, _ context: HostContext) -> BodyParser {
        { body, mediaType throws(Failure) in
            let answer = AnswerHandle(takesValue: true)
            let refusal = body.withUnsafeBytes { bytes in
                mediaType.withCString { type in
                    Self.ask(for: answer) {
                        ask(context.pointer, bytes.baseAddress, bytes.count - 1, type, $0)
                    }
                }
            }
            if let refusal { throw refusal.failure() }
            return answer.value ?? .null
        }
    }

    /// Makes an encoder. Its context ends when nothing uses the encoder any more.
    static func encoder(_ ask: restway_encode_fn, _ context: HostContext) -> BodyEncoder {
        { json throws(Failure) in
            let answer = AnswerHandle(takesValue: true, takesMediaType: true)
            let refusal = json.withUnsafeBytes { bytes in
                Self.ask(for: answer) {
                    ask(
                        context.pointer, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                        bytes.count - 1, $0)
                }
            }
            if let refusal { throw refusal.failure() }
            switch answer.value {
            case .string(let text):
                return EncodedBody(bytes: Array(text.utf8), mediaType: answer.mediaType)
            case .bytes(let bytes):
                return EncodedBody(bytes: bytes, mediaType: answer.mediaType)
            default:
                throw Failure(.mapping, "it has set no body, which is a string or bytes")
            }
        }
    }
}
