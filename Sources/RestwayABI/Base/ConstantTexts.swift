import CRestway
import RestwayClient

/// Texts that live as long as the process.
enum ConstantTexts {
    static let version = CText(Version.text)
    static let empty = CText("")
    static let client = CText("client")
    static let mapping = CText("mapping")
    static let plugin = CText("plugin")
    static let routing = CText("routing")
    static let store = CText("store")
    static let transport = CText("transport")

    static func name(_ status: restway_status) -> UnsafePointer<CChar> {
        (names[status.rawValue] ?? unknown).pointer
    }

    private static let unknown = CText("RESTWAY_E_UNKNOWN")

    private static let names: [UInt32: CText] = {
        let all: [(restway_status, String)] = [
            (.RESTWAY_OK, "RESTWAY_OK"),
            (.RESTWAY_E_INVALID_ARGUMENT, "RESTWAY_E_INVALID_ARGUMENT"),
            (.RESTWAY_E_OUT_OF_MEMORY, "RESTWAY_E_OUT_OF_MEMORY"),
            (.RESTWAY_E_INTERNAL, "RESTWAY_E_INTERNAL"),
            (.RESTWAY_E_CLOSED, "RESTWAY_E_CLOSED"),
            (.RESTWAY_E_CANCELLED, "RESTWAY_E_CANCELLED"),
            (.RESTWAY_E_WOULD_BLOCK, "RESTWAY_E_WOULD_BLOCK"),
            (.RESTWAY_E_TIMEOUT, "RESTWAY_E_TIMEOUT"),
            (.RESTWAY_E_FORKED, "RESTWAY_E_FORKED"),
            (.RESTWAY_E_IO, "RESTWAY_E_IO"),
            (.RESTWAY_E_CONFIG, "RESTWAY_E_CONFIG"),
            (.RESTWAY_E_DUPLICATE, "RESTWAY_E_DUPLICATE"),
            (.RESTWAY_E_FROZEN, "RESTWAY_E_FROZEN"),
            (.RESTWAY_E_UNKNOWN_ENVIRONMENT, "RESTWAY_E_UNKNOWN_ENVIRONMENT"),
            (.RESTWAY_E_UNKNOWN_ROUTE, "RESTWAY_E_UNKNOWN_ROUTE"),
            (.RESTWAY_E_UNKNOWN_ENTITY, "RESTWAY_E_UNKNOWN_ENTITY"),
            (.RESTWAY_E_UNKNOWN_ATTRIBUTE, "RESTWAY_E_UNKNOWN_ATTRIBUTE"),
            (.RESTWAY_E_AMBIGUOUS_ROUTE, "RESTWAY_E_AMBIGUOUS_ROUTE"),
            (.RESTWAY_E_MISSING_VARIABLE, "RESTWAY_E_MISSING_VARIABLE"),
            (.RESTWAY_E_INVALID_URL, "RESTWAY_E_INVALID_URL"),
            (.RESTWAY_E_METHOD_NOT_ALLOWED, "RESTWAY_E_METHOD_NOT_ALLOWED"),
            (.RESTWAY_E_RESOLVE, "RESTWAY_E_RESOLVE"),
            (.RESTWAY_E_CONNECT, "RESTWAY_E_CONNECT"),
            (.RESTWAY_E_TLS, "RESTWAY_E_TLS"),
            (.RESTWAY_E_CONNECTION_LOST, "RESTWAY_E_CONNECTION_LOST"),
            (.RESTWAY_E_PROTOCOL, "RESTWAY_E_PROTOCOL"),
            (.RESTWAY_E_TOO_LARGE, "RESTWAY_E_TOO_LARGE"),
            (.RESTWAY_E_TOO_MANY_REDIRECTS, "RESTWAY_E_TOO_MANY_REDIRECTS"),
            (.RESTWAY_E_HTTP, "RESTWAY_E_HTTP"),
            (.RESTWAY_E_AUTH, "RESTWAY_E_AUTH"),
            (.RESTWAY_E_MAPPING, "RESTWAY_E_MAPPING"),
            (.RESTWAY_E_NO_OBJECT, "RESTWAY_E_NO_OBJECT"),
            (.RESTWAY_E_STORE, "RESTWAY_E_STORE"), (.RESTWAY_E_PLUGIN, "RESTWAY_E_PLUGIN"),
            (.RESTWAY_E_BATCH, "RESTWAY_E_BATCH"), (.RESTWAY_E_QUEUED, "RESTWAY_E_QUEUED"),
            (.RESTWAY_E_OUTBOX, "RESTWAY_E_OUTBOX"),
        ]
        return Dictionary(
            uniqueKeysWithValues: all.map { ($0.0.rawValue, CText($0.1)) })
    }()
}
