import RestwayCache
package import RestwayCalls
import RestwayCurl
package import RestwayDocument
package import RestwayHTTP
package import RestwayObjects
package import RestwayOutcome
package import RestwayRequests
package import RestwayRouting
import RestwaySQLite
import RestwaySQLiteStore
package import RestwayThreads

/// The settings of a client, with the defaults filled in.
package struct ClientOptions: Sendable {
    /// The files of a client. They replace the settings of the document.
    package struct Files: Sendable {
        /// The file of a SQLite store.
        package var store: String?
        package var outbox: String?
        package var cache = Caching()
        /// The permissions of new files. `nil` takes the document's permissions; a document without
        /// permissions lets only the owner read and write.
        package var mode: FileMode?
    }

    /// The response cache. It replaces the settings of the document.
    package struct Caching: Sendable {
        package var path: String?
        /// A limit of `nil` takes the document's.
        package var bytesMax: Int64?
        /// 0 keeps nothing in memory.
        package var memoryBytesMax: Int64?
        /// Whether there is a cache even if neither the document nor `path` asks for it.
        package var isOn = false
        /// Whether there is no cache even if the document asks for it.
        package var isOff = false
        package var usesHeuristics = false

        package init() {}

        /// Whether the cache is off although other options of the cache are set.
        package var contradictsItself: Bool {
            let isSet =
                isOn || usesHeuristics || path != nil || bytesMax != nil || memoryBytesMax != nil
            return isOff && isSet
        }

        /// Returns the settings of the cache, over the document's; `nil` if there is no cache.
        package func settings(over document: CacheDefinition?) throws(Failure) -> CacheDefinition? {
            guard !isOff, document != nil || path != nil || isOn else { return nil }
            var settings = document ?? CacheDefinition()
            if let path { settings.path = path }
            if let bytesMax {
                settings.bytesMax = bytesMax
                settings.memoryBytesMax = min(settings.memoryBytesMax, bytesMax)
            }
            if let memoryBytesMax { settings.memoryBytesMax = memoryBytesMax }
            if usesHeuristics { settings.usesHeuristics = true }
            let field = "options.cache_memory_bytes_max"
            guard settings.path != nil || settings.memoryBytesMax > 0 else {
                throw Failure(
                    .config, "the cache keeps nothing in memory, and it has no file", field: field)
            }
            guard settings.path == nil || settings.memoryBytesMax <= settings.bytesMax else {
                throw Failure(
                    .config,
                    "the cache has \(settings.memoryBytesMax) bytes in memory, and its file only "
                        + "\(settings.bytesMax): everything in memory is in the file, too",
                    field: field)
            }
            return settings
        }
    }

    /// The connections of the built-in transport.
    package struct Connections: Sendable {
        /// A PEM file with the certificates that servers are checked against; `nil` for the file
        /// of the network settings.
        package var certificateFile: String?
        /// How connections are made. A setting of `nil` takes the environment's.
        package var network = NetworkSettings()
    }

    package var environment: String?
    package var baseURL: String?
    package var delivery = Delivery.Mode.thread
    package var calls = CallOptions(userAgent: "restway/" + Version.text)
    /// Whether the plugins that the API document asks for are loaded.
    package var loadsPlugins = false
    /// The name of the transport; `nil` for the document's choice.
    package var transport: String?
    /// The options of that transport as JSON text; `nil` for the options of the document or the
    /// plugin.
    package var transportOptions: String?
    /// A limit of `nil` takes the environment's limit, or the default if the environment sets no
    /// limit. 0 is no limit.
    package var timeouts = Timeouts()
    package var connections = Connections()
    /// A clock for tests; `nil` for the machine's.
    package var clock: ManualClock?
    /// The seed of the random waits between attempts; 0 for a random seed of the system.
    package var randomSeed: UInt64 = 0
    package var files = Files()

    package init() {}

    /// Returns the settings of calls, with the environment's time limits where these options set no
    /// limit.
    func forCalls(_ environment: Timeouts) -> CallOptions {
        var calls = calls
        calls.timeouts.take(environment)
        calls.timeouts.take(timeouts)
        return calls
    }

    /// Makes the built-in transport.
    func libcurl(
        _ network: NetworkSettings, _ cookies: CookieJar?, _ clock: any Clock
    ) throws(Failure) -> any Transport {
        let secureHosts = try Failure.explaining { () throws(NetworkSettingError) in
            try SecureHostList.open(path: network.hstsFile)
        }
        return CurlTransport(
            limits: .init(
                connectionsMax: calls.connectionsMax,
                connectionsPerHostMax: calls.connectionsPerHostMax),
            cookies: cookies, secureHosts: secureHosts, network: network, clock: clock)
    }

    /// Makes the response cache; `nil` if neither the document nor these options ask for one.
    func cache(
        over document: CacheDefinition?, _ mode: FileMode, _ cookies: CookieJar?,
        _ clock: any Clock, _ pool: WorkerPool
    ) throws(Failure) -> ResponseCache? {
        guard let settings = try files.cache.settings(over: document) else { return nil }
        var options = ResponseCache.Options()
        options.fileMode = mode
        options.bodyBytesMax = calls.bodyBytesMax
        options.clock = clock
        options.pool = pool
        if let cookies { options.cookies = { cookies.sent(to: $0) } }
        return try ResponseCache(settings, options)
    }

    /// Makes the jar for the cookies of the built-in transport; `nil` if the client keeps no
    /// cookies.
    func cookies(_ network: NetworkSettings) throws(Failure) -> CookieJar? {
        guard calls.usesCookies else {
            guard connections.network.cookieFile == nil else {
                throw Failure(
                    .invalidArgument,
                    "options.network.cookie_file stands beside RESTWAY_CLIENT_NO_COOKIES",
                    field: "options.network.cookie_file")
            }
            return nil
        }
        return try Failure.explaining { () throws(NetworkSettingError) in
            try CookieJar.open(path: network.cookieFile)
        }
    }

    /// Returns the network settings of these options, completed by those of the environment, after
    /// checking that this machine has what they need.
    func network(_ environment: NetworkSettings) throws(Failure) -> NetworkSettings {
        let own = connections.network.tls
        guard connections.certificateFile == nil || own?.caFile == nil && own?.caFolder == nil
        else {
            throw Failure(
                .invalidArgument,
                "options.ca_file stands beside the ca_file or ca_folder of options.network.tls",
                field: "options.ca_file")
        }
        var network = connections.network.completed(by: environment)
        if let file = connections.certificateFile {
            var tls = network.tls ?? TLSSettings()
            tls.caFile = file
            tls.caFolder = nil
            network.tls = tls
        }
        let settings = network
        return try Failure.explaining { () throws(NetworkSettingError) in
            try CurlTransport.checked(settings)
        }
    }
}

extension NetworkSettings {
    /// Writes into the log which servers the client will not check.
    func warnOfMissingVerification() {
        let origins = tlsByOrigin.filter { !$0.value.isVerifying }.keys.map(\.description).sorted()
        let isOffByDefault = tls?.isVerifying == false
        guard isOffByDefault || !origins.isEmpty else { return }
        let names = (isOffByDefault ? ["all origins without settings of their own"] : []) + origins
        Log.shared.write(
            .warning, .client,
            "TLS is insecure: certificates are not verified for \(names.joined(separator: ", "))")
    }
}

extension StoreSettings {
    /// - Parameter path: The path that the program gives; it replaces the document's path. A store
    ///   with a path is a SQLite store, whatever the document says.
    /// - Parameter mode: The permissions of a new file.
    package func open(
        _ entities: [Entity], path: String?, mode: FileMode
    ) throws(Failure) -> any ObjectStore {
        guard let path = path ?? (kind == .sqlite ? self.path : nil) else { return MemoryStore() }
        var options = SQLiteStore.Options()
        options.connection.mode = mode
        if let cachedObjectsMax { options.cachedObjectsMax = cachedObjectsMax }
        if let busyTimeoutMilliseconds {
            options.connection.busyTimeoutMilliseconds = busyTimeoutMilliseconds
        }
        do {
            return try SQLiteStore(path, entities, options)
        } catch {
            throw Failure(error)
        }
    }
}

/// The version of the library. A test compares it with `restway/version.h`.
package enum Version {
    package static let major: Int32 = 0
    package static let minor: Int32 = 1
    package static let patch: Int32 = 0
    package static let text = "\(major).\(minor).\(patch)"
    package static let number = major * 1_000_000 + minor * 1_000 + patch
}
