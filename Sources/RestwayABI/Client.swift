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

@_cdecl("restway_client_options_init") @implementation
public func restway_client_options_init(
    _ options: Out<restway_client_options>?, _ size: Int, _ outError: OutHandle?
) -> restway_status {
    SizedStructs.clientOptions.initialize(options, size, outError)
}

@_cdecl("restway_client_create") @implementation
public func restway_client_create(
    _ api: InHandle, _ options: In<restway_client_options>?, _ outClient: OutHandle?,
    _ outError: OutHandle?
) -> restway_status {
    APIHandle.creating(api, outClient, outError, "out_client") { handle throws(Failure) in
        ClientHandle(try Client.make(api: handle.api, options: try ClientOptions(options)))
    }
}

@_cdecl("restway_client_retain") @implementation
public func restway_client_retain(_ client: InHandle) -> OpaquePointer! {
    ClientHandle.retain(client)
}

@_cdecl("restway_client_release") @implementation
public func restway_client_release(_ client: InHandle) { ClientHandle.release(client) }

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

/// Reads the option struct of the header and checks each field.
extension ClientOptions {
    init(_ pointer: In<restway_client_options>?) throws(Failure) {
        self.init()
        guard let pointer else { return }
        let c = try SizedStructs.clientOptions.read(pointer, zero: restway_client_options())
        environment = try Argument.optionalString(c.environment, "options.environment")
        baseURL = try Argument.optionalString(c.base_url, "options.base_url")
        if let agent = try Argument.optionalString(c.user_agent, "options.user_agent") {
            try Argument.headerValue(agent, "options.user_agent")
            calls.userAgent = agent
        }
        connections.certificateFile = try Argument.optionalString(c.ca_file, "options.ca_file")
        connections.network = try NetworkSettings(c.network)
        if c.clock != nil {
            clock = try ManualClock.argument(c.clock, "options.clock")
        }
        randomSeed = c.random_seed
        files.store = try Argument.optionalString(c.store_path, "options.store_path")
        files.outbox = try Argument.optionalString(c.outbox_path, "options.outbox_path")
        files.cache = try Caching(c)
        transport = try Argument.optionalString(c.transport, "options.transport")
        transportOptions = try Argument.optionalString(
            c.transport_options, "options.transport_options")
        if c.file_mode != 0 {
            guard let mode = FileMode(c.file_mode) else {
                throw Argument.wrong(
                    "options.file_mode",
                    "options.file_mode lets the owner read and write, and nobody execute: it is "
                        + "0600 to 0666, not 0\(String(c.file_mode, radix: 8))")
            }
            files.mode = mode
        }
        try readDelivery(c)
        try readFlags(c)
        try readLanguages(c)
        timeouts.totalMilliseconds = try Argument.limit(
            c.timeout_milliseconds, "options.timeout_milliseconds")
        timeouts.connectMilliseconds = try Argument.limit(
            c.connect_timeout_milliseconds, "options.connect_timeout_milliseconds")
        timeouts.firstByteMilliseconds = try Argument.limit(
            c.first_byte_timeout_milliseconds, "options.first_byte_timeout_milliseconds")
        timeouts.idleMilliseconds = try Argument.limit(
            c.idle_timeout_milliseconds, "options.idle_timeout_milliseconds")
        timeouts.tooSlowMilliseconds = try Argument.limit(
            c.too_slow_milliseconds, "options.too_slow_milliseconds")
        try Self.set(&calls.bodyBytesMax, c.body_bytes_max, "body_bytes_max", max: .max)
        calls.saveBytesMax = try Argument.limit(c.save_bytes_max, "options.save_bytes_max") ?? 0
        try Self.set(&calls.objectsMax, c.objects_max, "objects_max", max: .max)
        try Self.set(&calls.nestingDepthMax, c.nesting_depth_max, "nesting_depth_max", max: 2_048)
        try Self.set(&connections.total, c.connections_max, "connections_max", max: 65_536)
        try Self.set(
            &connections.perHost, c.connections_per_host_max, "connections_per_host_max",
            max: 65_536)
    }

    private mutating func readDelivery(_ c: restway_client_options) throws(Failure) {
        guard let mode = restway_delivery(rawValue: c.delivery).flatMap(Delivery.Mode.init) else {
            throw Argument.wrong(
                "options.delivery", "options.delivery is \(c.delivery), which is no delivery mode")
        }
        delivery = mode
    }

    private mutating func readFlags(_ c: restway_client_options) throws(Failure) {
        let known =
            RESTWAY_CLIENT_STRICT_MAPPING | RESTWAY_CLIENT_NO_COOKIES
            | RESTWAY_CLIENT_NO_REDIRECTS | RESTWAY_CLIENT_GONE_IS_DELETED
            | RESTWAY_CLIENT_LOAD_PLUGINS | RESTWAY_CLIENT_FAIL_UNREACHABLE
        try Argument.flags(c.flags, known: known, "options.flags")
        calls.isMappingStrict = c.flags & RESTWAY_CLIENT_STRICT_MAPPING != 0
        calls.failsUnreachable = c.flags & RESTWAY_CLIENT_FAIL_UNREACHABLE != 0
        loadsPlugins = c.flags & RESTWAY_CLIENT_LOAD_PLUGINS != 0
        calls.usesCookies = c.flags & RESTWAY_CLIENT_NO_COOKIES == 0
        calls.takesMissingForDeleted = c.flags & RESTWAY_CLIENT_GONE_IS_DELETED != 0
        switch c.redirects_max {
        case 0: break
        case -1: calls.redirectsMax = 0
        case 1...1_000: calls.redirectsMax = Int(c.redirects_max)
        default: throw Argument.outOfRange("options.redirects_max", Int64(c.redirects_max))
        }
        if c.flags & RESTWAY_CLIENT_NO_REDIRECTS != 0 { calls.redirectsMax = nil }
    }

    private static func set(
        _ target: inout Int, _ value: some BinaryInteger, _ name: String, max: Int64
    ) throws(Failure) {
        let value = Int64(value)
        guard value != 0 else { return }
        guard (1...max).contains(value) else { throw Argument.outOfRange("options.\(name)", value) }
        target = Int(value)
    }
}
