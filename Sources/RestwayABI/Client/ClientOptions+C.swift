import CRestway
import RestwayClient
import RestwayThreads

/// Reads the option struct of the header and checks each field.
extension ClientOptions {
    /// sizeof(restway_client_options) in version 0.1.0.
    static let structSizeMin = 104

    init(_ pointer: UnsafePointer<restway_client_options>?) throws(Failure) {
        self.init()
        guard let pointer else { return }
        let c = try SizedOptions.read(
            pointer, zero: restway_client_options(), sizeMin: Self.structSizeMin, "options")
        environment = try Argument.optionalString(c.environment, "options.environment")
        baseURL = try Argument.optionalString(c.base_url, "options.base_url")
        if let agent = try Argument.optionalString(c.user_agent, "options.user_agent") {
            try Argument.headerValue(agent, "options.user_agent")
            userAgent = agent
        }
        certificateFile = try Argument.optionalString(c.ca_file, "options.ca_file")
        clock = try Argument.optionalHandle(ManualClock.self, c.clock, "options.clock")
        randomSeed = c.random_seed
        storePath = try Argument.optionalString(c.store_path, "options.store_path")
        outboxPath = try Argument.optionalString(c.outbox_path, "options.outbox_path")
        transport = try Argument.optionalString(c.transport, "options.transport")
        transportOptions = try Argument.optionalString(
            c.transport_options, "options.transport_options")
        if c.file_mode != 0 {
            guard let mode = FileMode(c.file_mode) else {
                throw Failure(
                    .invalidArgument,
                    "options.file_mode lets the owner read and write, and nobody execute: it is "
                        + "0600 to 0666, not 0\(String(c.file_mode, radix: 8))",
                    field: "options.file_mode")
            }
            fileMode = mode
        }
        try readDelivery(c)
        try readFlags(c)
        timeoutMilliseconds = try Self.time(
            c.timeout_milliseconds, "options.timeout_milliseconds")
        connectTimeoutMilliseconds = try Self.time(
            c.connect_timeout_milliseconds, "options.connect_timeout_milliseconds")
        idleTimeoutMilliseconds = try Self.time(
            c.idle_timeout_milliseconds, "options.idle_timeout_milliseconds")
        try Self.set(&bodyBytesMax, c.body_bytes_max, "options.body_bytes_max", max: .max)
        try Self.set(&objectsMax, c.objects_max, "options.objects_max", max: .max)
        try Self.set(
            &nestingDepthMax, Int64(c.nesting_depth_max), "options.nesting_depth_max", max: 2_048)
        try Self.set(
            &connectionsMax, Int64(c.connections_max), "options.connections_max", max: 65_536)
        try Self.set(
            &connectionsPerHostMax, Int64(c.connections_per_host_max),
            "options.connections_per_host_max", max: 65_536)
    }

    private mutating func readDelivery(_ c: restway_client_options) throws(Failure) {
        switch restway_delivery(rawValue: c.delivery) {
        case .RESTWAY_DELIVERY_THREAD: delivery = .thread
        case .RESTWAY_DELIVERY_PROCESS: delivery = .process
        case .RESTWAY_DELIVERY_DRAIN: delivery = .drain
        default:
            throw Failure(
                .invalidArgument, "options.delivery is \(c.delivery), which is no delivery mode",
                field: "options.delivery")
        }
    }

    private mutating func readFlags(_ c: restway_client_options) throws(Failure) {
        let known =
            RESTWAY_CLIENT_STRICT_MAPPING | RESTWAY_CLIENT_NO_COOKIES
            | RESTWAY_CLIENT_NO_REDIRECTS | RESTWAY_CLIENT_GONE_IS_DELETED
            | RESTWAY_CLIENT_LOAD_PLUGINS
        guard c.flags & ~known == 0 else {
            throw Failure(
                .invalidArgument,
                "options.flags holds bits that this version does not know: "
                    + "0x\(String(c.flags & ~known, radix: 16))",
                field: "options.flags")
        }
        isMappingStrict = c.flags & RESTWAY_CLIENT_STRICT_MAPPING != 0
        loadsPlugins = c.flags & RESTWAY_CLIENT_LOAD_PLUGINS != 0
        usesCookies = c.flags & RESTWAY_CLIENT_NO_COOKIES == 0
        takesMissingForDeleted = c.flags & RESTWAY_CLIENT_GONE_IS_DELETED != 0
        switch c.redirects_max {
        case 0: break
        case -1: redirectsMax = 0
        case 1...1_000: redirectsMax = Int(c.redirects_max)
        default:
            throw Self.outOfRange("options.redirects_max", Int64(c.redirects_max))
        }
        if c.flags & RESTWAY_CLIENT_NO_REDIRECTS != 0 { redirectsMax = nil }
    }

    /// Reads a time. 0 means that the program gives none; -1 means no limit, which is kept as 0.
    private static func time(_ value: Int64, _ name: String) throws(Failure) -> Int64? {
        guard value >= -1 else { throw outOfRange(name, value) }
        return value == 0 ? nil : max(0, value)
    }

    private static func set(
        _ target: inout Int, _ value: Int64, _ name: String, max: Int64
    ) throws(Failure) {
        guard value != 0 else { return }
        guard (1...max).contains(value) else { throw outOfRange(name, value) }
        target = Int(value)
    }

    private static func outOfRange(_ name: String, _ value: Int64) -> Failure {
        Failure(.invalidArgument, "\(name) is out of range: \(value)", field: name)
    }
}
