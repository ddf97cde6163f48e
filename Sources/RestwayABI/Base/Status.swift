import CRestway
import RestwayOutcome

/// Maps failures to the numbers of the header. The mapping is complete: a new reason does not
/// compile without its number.
extension restway_status {
    init(_ reason: Failure.Reason) {
        self =
            switch reason {
            case .invalidArgument: .RESTWAY_E_INVALID_ARGUMENT
            case .outOfMemory: .RESTWAY_E_OUT_OF_MEMORY
            case .internal: .RESTWAY_E_INTERNAL
            case .closed: .RESTWAY_E_CLOSED
            case .cancelled: .RESTWAY_E_CANCELLED
            case .wouldBlock: .RESTWAY_E_WOULD_BLOCK
            case .timedOut: .RESTWAY_E_TIMEOUT
            case .forked: .RESTWAY_E_FORKED
            case .io: .RESTWAY_E_IO
            case .config: .RESTWAY_E_CONFIG
            case .duplicate: .RESTWAY_E_DUPLICATE
            case .frozen: .RESTWAY_E_FROZEN
            case .unknownEnvironment: .RESTWAY_E_UNKNOWN_ENVIRONMENT
            case .unknownRoute: .RESTWAY_E_UNKNOWN_ROUTE
            case .unknownEntity: .RESTWAY_E_UNKNOWN_ENTITY
            case .unknownAttribute: .RESTWAY_E_UNKNOWN_ATTRIBUTE
            case .ambiguousRoute: .RESTWAY_E_AMBIGUOUS_ROUTE
            case .missingVariable: .RESTWAY_E_MISSING_VARIABLE
            case .invalidURL: .RESTWAY_E_INVALID_URL
            case .methodNotAllowed: .RESTWAY_E_METHOD_NOT_ALLOWED
            case .resolve: .RESTWAY_E_RESOLVE
            case .connect: .RESTWAY_E_CONNECT
            case .tls: .RESTWAY_E_TLS
            case .connectionLost: .RESTWAY_E_CONNECTION_LOST
            case .protocolViolation: .RESTWAY_E_PROTOCOL
            case .tooLarge: .RESTWAY_E_TOO_LARGE
            case .tooManyRedirects: .RESTWAY_E_TOO_MANY_REDIRECTS
            case .http: .RESTWAY_E_HTTP
            case .auth: .RESTWAY_E_AUTH
            case .mapping: .RESTWAY_E_MAPPING
            case .noObject: .RESTWAY_E_NO_OBJECT
            case .store: .RESTWAY_E_STORE
            case .plugin: .RESTWAY_E_PLUGIN
            case .batch: .RESTWAY_E_BATCH
            case .queued: .RESTWAY_E_QUEUED
            case .outbox: .RESTWAY_E_OUTBOX
            }
    }
}

extension Failure.Reason {
    /// Returns the reason for a status that the program gave; `nil` for OK and for unknown numbers.
    init?(_ status: restway_status) {
        switch status {
        case .RESTWAY_E_INVALID_ARGUMENT: self = .invalidArgument
        case .RESTWAY_E_OUT_OF_MEMORY: self = .outOfMemory
        case .RESTWAY_E_INTERNAL: self = .internal
        case .RESTWAY_E_CLOSED: self = .closed
        case .RESTWAY_E_CANCELLED: self = .cancelled
        case .RESTWAY_E_WOULD_BLOCK: self = .wouldBlock
        case .RESTWAY_E_TIMEOUT: self = .timedOut
        case .RESTWAY_E_FORKED: self = .forked
        case .RESTWAY_E_IO: self = .io
        case .RESTWAY_E_CONFIG: self = .config
        case .RESTWAY_E_DUPLICATE: self = .duplicate
        case .RESTWAY_E_FROZEN: self = .frozen
        case .RESTWAY_E_UNKNOWN_ENVIRONMENT: self = .unknownEnvironment
        case .RESTWAY_E_UNKNOWN_ROUTE: self = .unknownRoute
        case .RESTWAY_E_UNKNOWN_ENTITY: self = .unknownEntity
        case .RESTWAY_E_UNKNOWN_ATTRIBUTE: self = .unknownAttribute
        case .RESTWAY_E_AMBIGUOUS_ROUTE: self = .ambiguousRoute
        case .RESTWAY_E_MISSING_VARIABLE: self = .missingVariable
        case .RESTWAY_E_INVALID_URL: self = .invalidURL
        case .RESTWAY_E_METHOD_NOT_ALLOWED: self = .methodNotAllowed
        case .RESTWAY_E_RESOLVE: self = .resolve
        case .RESTWAY_E_CONNECT: self = .connect
        case .RESTWAY_E_TLS: self = .tls
        case .RESTWAY_E_CONNECTION_LOST: self = .connectionLost
        case .RESTWAY_E_PROTOCOL: self = .protocolViolation
        case .RESTWAY_E_TOO_LARGE: self = .tooLarge
        case .RESTWAY_E_TOO_MANY_REDIRECTS: self = .tooManyRedirects
        case .RESTWAY_E_HTTP: self = .http
        case .RESTWAY_E_AUTH: self = .auth
        case .RESTWAY_E_MAPPING: self = .mapping
        case .RESTWAY_E_NO_OBJECT: self = .noObject
        case .RESTWAY_E_STORE: self = .store
        case .RESTWAY_E_PLUGIN: self = .plugin
        case .RESTWAY_E_BATCH: self = .batch
        case .RESTWAY_E_QUEUED: self = .queued
        case .RESTWAY_E_OUTBOX: self = .outbox
        case .RESTWAY_OK, .RESTWAY_STATUS_PIN_: return nil
        @unknown default: return nil
        }
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
            }
    }
}
