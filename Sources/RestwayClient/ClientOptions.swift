import RestwayHTTP
import RestwayRouting
package import RestwaySupport

/// How a client works. Everything is resolved: defaults stand where nothing was said.
package struct ClientOptions: Sendable {
    /// Where notices run.
    package enum Delivery: Sendable {
        case thread, process, drain
    }

    package var environment: String?
    package var baseURL: String?
    package var userAgent = "restway/" + Version.text
    package var delivery = Delivery.thread
    package var isMappingStrict = false
    package var usesCookies = true
    /// Whether a DELETE that is answered with 404 or 410 has done what it should.
    package var takesMissingForDeleted = false
    /// Whether the plugins that the API document asks for are loaded.
    package var loadsPlugins = false
    /// What performs exchanges, by name; `nil`: what the document says.
    package var transport: String?
    /// For that transport, JSON text; `nil`: what the document or its plugin says.
    package var transportOptions: String?
    /// `nil`: the environment's, else the default; 0: none.
    package var timeoutMilliseconds: Int64?
    package var connectTimeoutMilliseconds: Int64?
    package var idleTimeoutMilliseconds: Int64?
    package var bodyBytesMax = 256 << 20
    package var objectsMax = 10_000_000
    package var nestingDepthMax = 512
    /// 0: a redirect is an error; `nil`: it is an answer like any other.
    package var redirectsMax: Int? = 10
    package var connectionsMax = 256
    package var connectionsPerHostMax = 32
    /// How long a thread that waits for an answer looks for it before it sleeps, where answers
    /// come so soon; 0: it sleeps at once.
    package var busyPollMicroseconds = 100
    /// Certificates in PEM that may vouch for servers; `nil`: the system's.
    package var certificateFile: String?
    /// For tests; `nil`: the machine's.
    package var clock: ManualClock?
    /// Of the waits between attempts; 0: the system's chance.
    package var randomSeed: UInt64 = 0
    /// The file of a SQLite store, in place of what the document says.
    package var storePath: String?
    /// The file of the outbox, in place of what the document says.
    package var outboxPath: String?

    package init() {}

    /// Filled in by `resolve`.
    private(set) var timeouts = ExchangeTimeouts(
        totalMilliseconds: 60_000, connectMilliseconds: 10_000, idleMilliseconds: 30_000)

    /// Takes the environment's time-outs where the options state none.
    mutating func resolve(_ environment: Timeouts) {
        if let total = timeoutMilliseconds ?? environment.totalMilliseconds {
            timeouts.totalMilliseconds = total
        }
        if let connect = connectTimeoutMilliseconds ?? environment.connectMilliseconds {
            timeouts.connectMilliseconds = connect
        }
        if let idle = idleTimeoutMilliseconds ?? environment.idleMilliseconds {
            timeouts.idleMilliseconds = idle
        }
    }
}
