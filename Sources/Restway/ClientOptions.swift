public import FoundationEssentials
import RestwayCalls
import RestwayClient
import RestwayHTTP
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwaySQLite
import RestwayThreads

/// The settings of a client. A setting that is `nil` comes from the API document, or else has
/// the library's default.
///
///     var options = Client.Options()
///     options.baseURL = "https://api.example.com/v2"
///     options.timeouts.total = .seconds(20)
///     let client = try Client(api, options: options)
public struct ClientOptions: Sendable {
    /// The time limits of each attempt. `.zero` is no limit.
    public struct Timeouts: Sendable {
        /// The whole attempt, with redirects and the wait for a credential (60 seconds).
        public var total: Duration?
        /// Making a connection (10 seconds).
        public var connect: Duration?
        /// From the last byte of the request to the first byte of the answer (no limit).
        public var firstByte: Duration?
        /// The longest time in which no byte moves (30 seconds).
        public var idle: Duration?
        /// The age at which a call is reported as too slow (never). The call goes on.
        public var tooSlow: Duration?
    }

    /// The largest sizes that are accepted.
    public struct Limits: Sendable {
        /// The bytes of a body, after decoding (256 MiB).
        public var bodyBytes: Int? {
            get { stated[.bodyBytesMax] }
            set { state(newValue, .bodyBytesMax, "bodyBytes") }
        }
        /// The objects of one answer (10,000,000).
        public var objects: Int? {
            get { stated[.objectsMax] }
            set { state(newValue, .objectsMax, "objects") }
        }
        /// The bytes of a body that is saved in a file, after decoding (no limit).
        public var savedBytes: Int? {
            get { stated[.saveBytesMax] }
            set { state(newValue, .saveBytesMax, "savedBytes") }
        }
        /// The nesting of a JSON body, 1 to 2,048 (512).
        public var nestingDepth: Int? {
            get { stated[.nestingDepthMax] }
            set { state(newValue, .nestingDepthMax, "nestingDepth") }
        }
        /// The redirects that are followed (10); 0 makes a redirect an error.
        public var redirects: Int? {
            get { stated[.redirectsMax] }
            set { state(newValue, .redirectsMax, "redirects") }
        }
        /// The open connections of the client (256).
        public var connections: Int? {
            get { stated[.connectionsMax] }
            set { state(newValue, .connectionsMax, "connections") }
        }
        /// The open connections to one host (32).
        public var connectionsPerHost: Int? {
            get { stated[.connectionsPerHostMax] }
            set { state(newValue, .connectionsPerHostMax, "connectionsPerHost") }
        }

        private var stated: [ClientNumber: Int] = [:]
        private var names: [ClientNumber: String] = [:]

        private mutating func state(_ value: Int?, _ number: ClientNumber, _ name: String) {
            stated[number] = value
            names[number] = name
        }

        fileprivate func apply(to core: inout ClientNumbers) throws(RestwayError) {
            // In the order of the header, so that the first of several mistakes is told.
            for number in ClientNumber.allCases {
                guard let value = stated[number], let name = names[number] else { continue }
                try RestwayError.explaining { () throws(Failure) in
                    try core.take(number, value, "options.limits.\(name)")
                }
            }
        }
    }

    /// The files of a client, in place of those that the document names.
    public struct Files: Sendable {
        /// The SQLite file of the store.
        public var store: String?
        /// The file of the outbox.
        public var outbox: String?
        /// The file of the response cache.
        public var cache: String?
        /// The permissions of new files, such as `0o640`; only the owner may read and write
        /// (0o600).
        public var mode: UInt32?
    }

    /// The response cache, in place of what the document says. Its file is in `files`.
    public struct Cache: Sendable {
        /// Whether there is a cache; `nil` if the document or a file asks for it.
        public var isOn: Bool?
        /// The limit on the bytes that the file, its log and the bodies take on the disk (100 MiB).
        public var bytesMax: Int64?
        /// The largest size of the answers in memory (16 MiB); 0 keeps none there.
        public var memoryBytesMax: Int64?
        /// Whether an answer without a lifetime is fresh for a tenth of the time since it was
        /// last modified.
        public var usesHeuristics = false
    }

    /// How answers are taken.
    public struct Answers: Sendable {
        /// Whether a value that cannot be mapped fails the call.
        public var areMappedStrictly = false
        /// Whether redirects are followed; otherwise, they are answers like others.
        public var followRedirects = true
        /// Whether a DELETE that is answered with 404 or 410 counts as done.
        public var takeMissingForDeleted = false
        /// Reads JSON that the document does not map; `nil` for one with dates in ISO 8601.
        /// Nothing may change it after the client was made.
        public var decoder: JSONDecoder?
    }

    /// The parts of a client that tests replace.
    public struct Testing: Sendable {
        /// The clock of the client; `nil` for the machine's.
        public var clock: TestClock?
        /// A seed that makes the waits between attempts repeatable; with 0, they are random.
        public var randomSeed: UInt64 = 0
    }

    /// The plugins and the transport of a client.
    public struct Plugins: Sendable {
        /// Whether the plugins that the document names are loaded. Plugins are programs that
        /// run in this process.
        public var areLoaded = false
        /// The name of the transport of a plugin; `nil` for the choice of the document, or else
        /// the built-in one.
        public var transport: String?
        /// The options of that transport, as an object.
        public var transportOptions: JSON?
    }

    /// The environment of the document.
    public var environment: String?
    /// The base URL, in place of the environment's, whose other settings stay. If the environment
    /// does not trust the new origin, the document's headers, its client certificate and its
    /// credential are left out, and a warning in the log names them.
    public var baseURL: String?
    /// The default headers with which the client begins. Headers of routes and of requests
    /// replace them.
    public var headers: Headers = [:]
    /// The time limits of each attempt.
    public var timeouts = Timeouts()
    /// The largest sizes and numbers that the client accepts.
    public var limits = Limits()
    /// How the client connects: TLS, the proxy, sockets, names and versions of HTTP.
    public var network = Network()
    /// The files of the store, the outbox and the response cache.
    public var files = Files()
    /// The settings of the response cache.
    public var cache = Cache()
    /// Whether cookies are kept in memory and sent.
    public var keepsCookies = true
    /// The plugins and the transport.
    public var plugins = Plugins()
    /// The settings for reading answers.
    public var answers = Answers()
    /// The clock and the random seed, which tests replace.
    public var testing = Testing()

    /// Makes options with an environment or a base URL, and with the files of store and outbox.
    public init(
        environment: String? = nil, baseURL: String? = nil, store: String? = nil,
        outbox: String? = nil
    ) {
        self.environment = environment
        self.baseURL = baseURL
        files.store = store
        files.outbox = outbox
    }

    /// The `User-Agent` (`restway/VERSION`), which is one of the headers.
    public var userAgent: String? {
        get { headers["User-Agent"] }
        set { headers["User-Agent"] = newValue }
    }

    /// Whether the plugins that the document names are loaded; see `Plugins`.
    public var loadsPlugins: Bool {
        get { plugins.areLoaded }
        set { plugins.areLoaded = newValue }
    }

    /// Sets the default header `Accept-Language`: the preferred language first, at most ten.
    ///
    /// - Throws: A `RestwayError` of the kind `invalidArgument` for a text that is no language
    ///   tag such as `de-CH`.
    public mutating func setLanguages(_ languages: [String]) throws(RestwayError) {
        guard languages.count <= AcceptLanguage.languagesMax else {
            throw RestwayError(
                Failure(
                    .invalidArgument,
                    "there are \(languages.count) languages, and "
                        + "\(AcceptLanguage.languagesMax) are the most", field: "languages"))
        }
        for language in languages where !AcceptLanguage.isRange(language) {
            throw RestwayError(
                Failure(
                    .invalidArgument,
                    "\"\(language)\" is no language tag such as \"de-CH\"",
                    field: "languages"))
        }
        headers[AcceptLanguage.name] =
            languages.isEmpty ? nil : AcceptLanguage.value(languages)
    }
}

extension Client {
    /// The settings of a client.
    public typealias Options = ClientOptions
}

extension ClientOptions {
    func core() throws(RestwayError) -> RestwayClient.ClientOptions {
        var core = RestwayClient.ClientOptions()
        core.environment = environment
        core.baseURL = baseURL
        for field in headers { try field.check() }
        var others = headers
        others["User-Agent"] = nil
        core.calls.headers = others.core.fields
        if let userAgent { core.calls.userAgent = userAgent }
        core.timeouts = timeouts.core
        core.connections.network = try network.core()
        try files.apply(to: &core.files)
        try cache.apply(to: &core.files.cache)
        core.calls.isMappingStrict = answers.areMappedStrictly
        core.calls.usesCookies = keepsCookies
        core.calls.takesMissingForDeleted = answers.takeMissingForDeleted
        core.loadsPlugins = plugins.areLoaded
        core.transport = plugins.transport
        core.transportOptions = plugins.transportOptions?.description
        core.clock = testing.clock?.core
        core.randomSeed = testing.randomSeed
        core.calls.failsUnreachable = network.failsWhenUnreachable
        try limits.apply(to: &core.calls.numbers)
        core.calls.followsRedirects = answers.followRedirects
        return core
    }
}

extension ClientOptions.Timeouts {
    /// The limits as the core takes them.
    var core: RestwayRouting.Timeouts {
        func milliseconds(_ limit: Duration?) -> Int64? {
            limit.map { $0 == .zero ? 0 : $0.milliseconds }
        }
        var core = RestwayRouting.Timeouts()
        core.totalMilliseconds = milliseconds(total)
        core.connectMilliseconds = milliseconds(connect)
        core.firstByteMilliseconds = milliseconds(firstByte)
        core.idleMilliseconds = milliseconds(idle)
        core.tooSlowMilliseconds = milliseconds(tooSlow)
        return core
    }
}

extension ClientOptions.Files {
    fileprivate func apply(to core: inout RestwayClient.ClientOptions.Files) throws(RestwayError) {
        core.store = store
        core.outbox = outbox
        core.cache.path = cache
        guard let mode else { return }
        guard let permissions = FileMode(Int64(mode)) else {
            throw RestwayError(
                Failure(
                    .invalidArgument,
                    "options.files.mode lets the owner read and write, and nobody execute: it is "
                        + "0o600 to 0o666, not 0o\(String(mode, radix: 8))",
                    field: "options.files.mode"))
        }
        core.mode = permissions
    }
}

extension ClientOptions.Cache {
    fileprivate func apply(
        to core: inout RestwayClient.ClientOptions.Caching
    ) throws(RestwayError) {
        core.isOn = isOn == true
        core.isOff = isOn == false
        core.usesHeuristics = usesHeuristics
        core.bytesMax = try RestwayError.checked(
            bytesMax, ClientNumber.cacheBytesMax.bounds, "options.cache.bytesMax")
        core.memoryBytesMax = try RestwayError.checked(
            memoryBytesMax, ClientNumber.cacheMemoryBytesMax.bounds,
            "options.cache.memoryBytesMax")
        guard !core.contradictsItself else {
            throw RestwayError(
                Failure(
                    .invalidArgument,
                    "options.cache.isOn is false beside other options of the cache",
                    field: "options.cache.isOn"))
        }
    }
}
