public import CRestway
import RestwayCalls
import RestwayClient
import RestwayDocument
import RestwayHTTP
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayThreads

/// The program's reference to a client. The last release of the handle closes the client.
final class ClientHandle: ArgumentObject {
    static let parameter = "client"
    let client: Client
    let generation = ProcessGeneration.current

    init(_ client: Client) {
        self.client = client
    }

    var content: Client { client }

    deinit {
        client.close()
        client.delivery.drop()
    }
}

// client.h

@_cdecl("restway_client_create") @implementation
public func restway_client_create(
    _ api: InHandle, _ options: In<restway_client_options>?, _ outClient: OutHandle?,
    _ outError: OutHandle?
) -> restway_status {
    APIHandle.creating(api, outClient, outError, "out_client") { handle throws(Failure) in
        let fields = try ClientOptionsFields(options)
        return ClientHandle(try Client.make(api: handle.api, options: try ClientOptions(fields)))
    }
}

@_cdecl("restway_client_close") @implementation
public func restway_client_close(_ client: InHandle) { ClientHandle.object(client)?.client.close() }

@_cdecl("restway_client_store") @implementation
public func restway_client_store(_ client: InHandle) -> OpaquePointer! {
    ClientHandle.object(client).map { Handle.give(StoreHandle($0.client)) }
}

@_cdecl("restway_client_send") @implementation
public func restway_client_send(
    _ client: InHandle, _ request: InHandle, _ done: restway_done_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?, _ outCall: OutHandle?,
    _ outError: OutHandle?
) -> restway_status {
    ClientHandle.creating(client, outCall, outError) { client throws(Failure) in
        let request = try RequestHandle.argument(request)
        return try DoneNotice.telling(done, context, destroy, client.delivery) {
            token, completion, end throws(Failure) in
            try client.send(request.copy(), token: token, completion: completion, end: end)
        }
    }
}

@_cdecl("restway_client_send_to") @implementation
public func restway_client_send_to(
    _ client: InHandle, _ request: InHandle, _ delivery: restway_delivery, _ done: restway_done_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?, _ outCall: OutHandle?,
    _ outError: OutHandle?
) -> restway_status {
    ClientHandle.creating(client, outCall, outError) { client throws(Failure) in
        let spec = try RequestHandle.argument(request).copy()
        guard let mode = Delivery.Mode(delivery) else {
            throw Argument.outOfRange("delivery", Int64(delivery.rawValue))
        }
        return try DoneNotice.telling(done, context, destroy, client.delivery, as: mode) {
            token, completion, end throws(Failure) in
            try client.send(spec, token: token, as: mode, completion: completion, end: end)
        }
    }
}

extension Delivery.Mode {
    /// `nil` for a number that is no delivery mode.
    fileprivate init?(_ c: restway_delivery) {
        switch c {
        case .RESTWAY_DELIVERY_THREAD: self = .thread
        case .RESTWAY_DELIVERY_PROCESS: self = .process
        case .RESTWAY_DELIVERY_DRAIN: self = .drain
        default: return nil
        }
    }
}

@_cdecl("restway_client_perform") @implementation
public func restway_client_perform(
    _ client: InHandle, _ request: InHandle, _ milliseconds: Int64, _ outResponse: OutHandle?,
    _ outError: OutHandle?
) -> restway_status {
    ClientHandle.creating(client, outResponse, outError) { client throws(Failure) in
        let request = try RequestHandle.argument(request)
        try Argument.notNegative(milliseconds, "milliseconds")
        return ResponseHandle(try client.perform(request.copy(), milliseconds: milliseconds))
    }
}

@_cdecl("restway_client_set_exclusion") @implementation
public func restway_client_set_exclusion(
    _ client: InHandle, _ exclude: restway_exclude_fn?, _ context: UnsafeMutableRawPointer?,
    _ destroy: restway_destroy_fn?, _ outError: OutHandle?
) -> restway_status {
    HostContext.setting(client, context, destroy, outError) { client, context throws(Failure) in
        try client.calls.setFunctions { functions in
            functions.exclusion = exclude.map { exclusion($0, context) }
        }
    }
}

/// Makes the question which relationships stay out of requests call a C function.
private func exclusion(
    _ exclude: restway_exclude_fn, _ context: HostContext
) -> BodyQuestions.Exclusion {
    { method, path, entity, relationship throws(HostRefusal) in
        let index = entity.relationshipIndex(named: relationship.name)
        let name = index.flatMap { entity.relationshipNameCString(at: $0) }
        let answer = AnswerHandle(takesValue: false)
        let choice = method.rawValue.withCString { method in
            func ask(_ path: CString?) -> Int32 {
                Handle.lending(answer) {
                    exclude(context.pointer, method, path, entity.nameCString, name, $0)
                }
            }
            guard let path else { return ask(nil) }
            return path.withCString(ask)
        }
        guard choice >= 0 else {
            throw HostRefusal(answer.message ?? "", cause: answer.cause)
        }
        return choice > 0
    }
}

/// Takes the options of the header.
extension ClientOptions {
    init(_ fields: ClientOptionsFields) throws(Failure) {
        self.init()
        environment = fields.environment
        baseURL = fields.baseURL
        if let agent = fields.userAgent {
            try Argument.headerValue(agent, "options.user_agent")
            calls.userAgent = agent
        }
        delivery = try Delivery.Mode(fields.delivery)
        calls.numbers = fields.numbers
        timeouts = Timeouts(fields.numbers)
        take(flags: fields.flags)
        try take(languages: fields.languages ?? [])
        connections.certificateFile = fields.caFile
        connections.network = try NetworkSettings(fields.network)
        if fields.clock != nil {
            clock = try ManualClock.argument(fields.clock, "options.clock")
        }
        randomSeed = fields.randomSeed
        files.store = fields.storePath
        files.outbox = fields.outboxPath
        files.mode = fields.fileMode
        files.cache = try Caching(fields)
        transport = fields.transport
        transportOptions = fields.transportOptions
    }

    private mutating func take(flags: UInt32) {
        calls.isMappingStrict = flags & RESTWAY_CLIENT_STRICT_MAPPING != 0
        calls.failsUnreachable = flags & RESTWAY_CLIENT_FAIL_UNREACHABLE != 0
        loadsPlugins = flags & RESTWAY_CLIENT_LOAD_PLUGINS != 0
        calls.usesCookies = flags & RESTWAY_CLIENT_NO_COOKIES == 0
        calls.takesMissingForDeleted = flags & RESTWAY_CLIENT_GONE_IS_DELETED != 0
        calls.followsRedirects = flags & RESTWAY_CLIENT_NO_REDIRECTS == 0
    }
}

extension Delivery.Mode {
    /// Reads the field of the options.
    fileprivate init(_ number: UInt32) throws(Failure) {
        guard let mode = restway_delivery(rawValue: number).flatMap(Self.init) else {
            throw Argument.wrong(
                "options.delivery", "options.delivery is \(number), which is no delivery mode")
        }
        self = mode
    }
}

extension Timeouts {
    /// Takes the time limits that the program has stated.
    fileprivate init(_ numbers: ClientNumbers) {
        self.init()
        totalMilliseconds = numbers.stated(.timeoutMilliseconds)
        connectMilliseconds = numbers.stated(.connectTimeoutMilliseconds)
        firstByteMilliseconds = numbers.stated(.firstByteTimeoutMilliseconds)
        idleMilliseconds = numbers.stated(.idleTimeoutMilliseconds)
        tooSlowMilliseconds = numbers.stated(.tooSlowMilliseconds)
    }
}

extension Argument {
    /// Reads the permissions of a file; `nil` for the default.
    static func permissions(_ value: Int64, _ name: String) throws(Failure) -> FileMode? {
        guard value != 0 else { return nil }
        guard let mode = FileMode(value) else {
            throw wrong(
                name,
                "\(name) lets the owner read and write, and nobody execute: it is 0600 to 0666, "
                    + "not 0\(String(value, radix: 8))")
        }
        return mode
    }
}
