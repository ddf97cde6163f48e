import RestwayHTTP
import RestwayRouting
package import RestwayThreads

/// The settings of a client, with the defaults filled in.
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
    /// Whether a DELETE that is answered with 404 or 410 counts as done.
    package var takesMissingForDeleted = false
    /// Whether the plugins that the API document asks for are loaded.
    package var loadsPlugins = false
    /// The name of the transport; `nil` for the document's choice.
    package var transport: String?
    /// The options of that transport as JSON text; `nil` for the options of the document or the
    /// plugin.
    package var transportOptions: String?
    /// `nil` is the environment's limit or, if it has none, the default; 0 is no limit.
    package var timeoutMilliseconds: Int64?
    package var connectTimeoutMilliseconds: Int64?
    package var idleTimeoutMilliseconds: Int64?
    package var bodyBytesMax = 256 << 20
    package var objectsMax = 10_000_000
    package var nestingDepthMax = 512
    /// With 0, a redirect is an error; with `nil`, it is an answer like any other.
    package var redirectsMax: Int? = 10
    package var connectionsMax = 256
    package var connectionsPerHostMax = 32
    /// A PEM file with the certificates that servers are checked against; `nil` for the system's.
    package var certificateFile: String?
    /// A clock for tests; `nil` for the machine's.
    package var clock: ManualClock?
    /// The seed of the random waits between attempts; 0 for a random seed of the system.
    package var randomSeed: UInt64 = 0
    /// The file of a SQLite store, which replaces the document's setting.
    package var storePath: String?
    /// The file of the outbox, which replaces the document's setting.
    package var outboxPath: String?
    /// The permissions of new files; `nil` for the document's or, if it has none, only the owner's.
    package var fileMode: FileMode?

    package init() {}

    /// The time limits, which `resolve` fills in.
    private(set) var timeouts = ExchangeTimeouts(
        totalMilliseconds: 60_000, connectMilliseconds: 10_000, idleMilliseconds: 30_000)

    /// Takes the environment's time limits where the options have none.
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
