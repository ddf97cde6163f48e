public import CRestway
import RestwayClient
import RestwayJSON
import RestwayOutcome

// base.h, version.h

private let versionText = CText(Version.text)

@_cdecl("restway_status_name") @implementation
public func restway_status_name(_ status: restway_status) -> CString! { status.name.cString }

@_cdecl("restway_debug_live_handles") @implementation
public func restway_debug_live_handles() -> Int64 { HandleCounts.shared.total }

@_cdecl("restway_debug_handle_kinds") @implementation
public func restway_debug_handle_kinds(
    _ buffer: Out<CChar>?, _ capacity: Int, _ outLength: Out<Int>?, _ outError: OutHandle?
) -> restway_status {
    Boundary.filling(buffer, capacity, outLength, outError) { () throws(Failure) in
        let members = HandleCounts.shared.kinds.map { ($0.name, JSONValue.integer($0.count)) }
        return String(decoding: JSONValue.object(members).text(), as: UTF8.self)
    }
}

@_cdecl("restway_version_number") @implementation
public func restway_version_number() -> Int32 { Version.number }

@_cdecl("restway_version_string") @implementation
public func restway_version_string() -> CString! { versionText.pointer }

@_cdecl("restway_abi_version") @implementation
public func restway_abi_version() -> Int32 { RESTWAY_ABI_VERSION }

/// Maps failures to the numbers of the header. The mapping is complete: a new reason does not
/// compile without its number.
extension Failure.Reason {
    /// The status for this reason, and the name that the header gives to it.
    fileprivate var known: (status: restway_status, name: StaticString) {
        switch self {
        case .invalidArgument: (.RESTWAY_E_INVALID_ARGUMENT, "RESTWAY_E_INVALID_ARGUMENT")
        case .outOfMemory: (.RESTWAY_E_OUT_OF_MEMORY, "RESTWAY_E_OUT_OF_MEMORY")
        case .internal: (.RESTWAY_E_INTERNAL, "RESTWAY_E_INTERNAL")
        case .closed: (.RESTWAY_E_CLOSED, "RESTWAY_E_CLOSED")
        case .cancelled: (.RESTWAY_E_CANCELLED, "RESTWAY_E_CANCELLED")
        case .noResources: (.RESTWAY_E_NO_RESOURCES, "RESTWAY_E_NO_RESOURCES")
        case .interrupted: (.RESTWAY_E_INTERRUPTED, "RESTWAY_E_INTERRUPTED")
        case .wouldBlock: (.RESTWAY_E_WOULD_BLOCK, "RESTWAY_E_WOULD_BLOCK")
        case .timedOut: (.RESTWAY_E_TIMEOUT, "RESTWAY_E_TIMEOUT")
        case .forked: (.RESTWAY_E_FORKED, "RESTWAY_E_FORKED")
        case .io: (.RESTWAY_E_IO, "RESTWAY_E_IO")
        case .config: (.RESTWAY_E_CONFIG, "RESTWAY_E_CONFIG")
        case .duplicate: (.RESTWAY_E_DUPLICATE, "RESTWAY_E_DUPLICATE")
        case .frozen: (.RESTWAY_E_FROZEN, "RESTWAY_E_FROZEN")
        case .unknownEnvironment: (.RESTWAY_E_UNKNOWN_ENVIRONMENT, "RESTWAY_E_UNKNOWN_ENVIRONMENT")
        case .unknownRoute: (.RESTWAY_E_UNKNOWN_ROUTE, "RESTWAY_E_UNKNOWN_ROUTE")
        case .unknownEntity: (.RESTWAY_E_UNKNOWN_ENTITY, "RESTWAY_E_UNKNOWN_ENTITY")
        case .unknownAttribute: (.RESTWAY_E_UNKNOWN_ATTRIBUTE, "RESTWAY_E_UNKNOWN_ATTRIBUTE")
        case .ambiguousRoute: (.RESTWAY_E_AMBIGUOUS_ROUTE, "RESTWAY_E_AMBIGUOUS_ROUTE")
        case .missingVariable: (.RESTWAY_E_MISSING_VARIABLE, "RESTWAY_E_MISSING_VARIABLE")
        case .invalidURL: (.RESTWAY_E_INVALID_URL, "RESTWAY_E_INVALID_URL")
        case .methodNotAllowed: (.RESTWAY_E_METHOD_NOT_ALLOWED, "RESTWAY_E_METHOD_NOT_ALLOWED")
        case .resolve: (.RESTWAY_E_RESOLVE, "RESTWAY_E_RESOLVE")
        case .connect: (.RESTWAY_E_CONNECT, "RESTWAY_E_CONNECT")
        case .tls: (.RESTWAY_E_TLS, "RESTWAY_E_TLS")
        case .connectionLost: (.RESTWAY_E_CONNECTION_LOST, "RESTWAY_E_CONNECTION_LOST")
        case .protocolViolation: (.RESTWAY_E_PROTOCOL, "RESTWAY_E_PROTOCOL")
        case .tooLarge: (.RESTWAY_E_TOO_LARGE, "RESTWAY_E_TOO_LARGE")
        case .tooManyRedirects: (.RESTWAY_E_TOO_MANY_REDIRECTS, "RESTWAY_E_TOO_MANY_REDIRECTS")
        case .http: (.RESTWAY_E_HTTP, "RESTWAY_E_HTTP")
        case .auth: (.RESTWAY_E_AUTH, "RESTWAY_E_AUTH")
        case .mapping: (.RESTWAY_E_MAPPING, "RESTWAY_E_MAPPING")
        case .noObject: (.RESTWAY_E_NO_OBJECT, "RESTWAY_E_NO_OBJECT")
        case .store: (.RESTWAY_E_STORE, "RESTWAY_E_STORE")
        case .plugin: (.RESTWAY_E_PLUGIN, "RESTWAY_E_PLUGIN")
        case .batch: (.RESTWAY_E_BATCH, "RESTWAY_E_BATCH")
        case .queued: (.RESTWAY_E_QUEUED, "RESTWAY_E_QUEUED")
        case .outbox: (.RESTWAY_E_OUTBOX, "RESTWAY_E_OUTBOX")
        }
    }

    /// Returns the reason for a status that the program gave; `nil` for OK and for unknown numbers.
    init?(_ status: restway_status) {
        guard let reason = Self.allCases.first(where: { $0.known.status == status }) else {
            return nil
        }
        self = reason
    }
}

extension restway_status {
    init(_ reason: Failure.Reason) {
        self = reason.known.status
    }

    /// The status of a call that ended with `failure`; `nil` stands for success.
    init(_ failure: Failure?) {
        self = failure?.reason.known.status ?? .RESTWAY_OK
    }

    /// The name that the header gives to the status.
    var name: StaticString {
        if self == .RESTWAY_OK { return "RESTWAY_OK" }
        return Failure.Reason(self)?.known.name ?? "RESTWAY_E_UNKNOWN"
    }
}

extension Failure {
    /// Returns the failure of a function of the program that answered with `status`.
    init(_ status: restway_status, _ message: String) {
        self.init(Reason(status) ?? .invalidArgument, message)
    }
}

extension restway_domain {
    init(_ domain: Failure.Domain) {
        self =
            switch domain {
            case .usage: .RESTWAY_DOMAIN_USAGE
            case .config: .RESTWAY_DOMAIN_CONFIG
            case .route: .RESTWAY_DOMAIN_ROUTE
            case .transport: .RESTWAY_DOMAIN_TRANSPORT
            case .http: .RESTWAY_DOMAIN_HTTP
            case .auth: .RESTWAY_DOMAIN_AUTH
            case .mapping: .RESTWAY_DOMAIN_MAPPING
            case .store: .RESTWAY_DOMAIN_STORE
            case .batch: .RESTWAY_DOMAIN_BATCH
            case .outbox: .RESTWAY_DOMAIN_OUTBOX
            case .cache: .RESTWAY_DOMAIN_CACHE
            case .plugin: .RESTWAY_DOMAIN_PLUGIN
            case .api: .RESTWAY_DOMAIN_API
            case .cancelled: .RESTWAY_DOMAIN_CANCELLED
            case .validation: .RESTWAY_DOMAIN_VALIDATION
            case .parsing: .RESTWAY_DOMAIN_PARSING
            }
    }
}

extension StaticString {
    /// The text for C, which lives as long as the process.
    var cString: CString { UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self) }
}
