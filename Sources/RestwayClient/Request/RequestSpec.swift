import RestwayHTTP
package import RestwayObjects
import RestwayOutbox
package import RestwayRouting

/// A request as its caller describes it. Names in it are looked up only when it is sent.
package struct RequestSpec: Sendable {
    package enum Target: Sendable {
        case path(Method, String)
        case route(String, Method?)
        /// The object router finds the path for the subject.
        case subject(Method)
    }

    /// The object or draft that a request is about. Its attributes fill the variables of the path,
    /// and the body if a descriptor says so.
    package enum Subject: Sendable {
        case object(Snapshot)
        /// A draft of an object of a store.
        case draft(Draft, ObservedStore)
        /// The state that a draft had when the request was sent.
        case capture(DraftCapture, ObservedStore)
    }

    /// The value that a caller gives for a path variable.
    package enum Variable: Sendable {
        case null
        case value(VariableValue)
        /// An object whose attributes are used for the key paths that start with the variable's
        /// name.
        case object(Snapshot)
    }

    /// A body that is sent unchanged.
    package struct Body: Sendable {
        enum Content {
            case bytes([UInt8])
            /// A reader gives the body while it is sent.
            case reader(BodyReader)
        }

        let content: Content
        let mediaType: String

        package init(bytes: [UInt8], mediaType: String) {
            content = .bytes(bytes)
            self.mediaType = mediaType
        }

        package init(reader: BodyReader, mediaType: String) {
            // A reader without bytes is never called.
            content = reader.length == 0 ? .bytes([]) : .reader(reader)
            self.mediaType = mediaType
        }
    }

    /// A class of its own, because most requests have none of this and each request is copied more
    /// than once.
    private final class StoredItem: Sendable {
        let item: OutboxItem

        init(_ item: OutboxItem) { self.item = item }
    }

    package var target: Target
    package var subject: Subject?
    package var variables: [String: Variable] = [:]
    /// The parameters in the order in which they were given. Of two with the same keys, the later
    /// one counts.
    package var parameters: [Parameter] = []
    /// A header whose value is `nil` is left out of the request.
    package var headers: [(name: String, value: String?)] = []
    package var body: Body?
    /// 0 is the time limit of the client; -1 is no time limit.
    package var timeoutMilliseconds: Int64 = 0
    /// Requests with a higher priority are sent first.
    package var priority: Int32 = 0

    /// `nil` is the mode of the route or, if the route has none, `full`.
    package var authMode: AuthMode?
    package var idempotencyKey: IdempotencyKey?
    package var progress: ProgressRequest?
    /// The lane in which the request is stored if it has to be; `nil` for the usual one.
    package var lane: String?
    /// The stored item from which the request comes, if any.
    var stored: OutboxItem? {
        get { storedItem?.item }
        set { storedItem = newValue.map(StoredItem.init) }
    }
    var isStored: Bool { storedItem != nil }
    private var storedItem: StoredItem?
    /// Whether the request goes out inside another request, which has the headers that all its
    /// requests share.
    var travelsInBatch = false

    package init(target: Target, subject: Subject? = nil) {
        self.target = target
        self.subject = subject
    }

    /// Returns the same request with the present state of its draft, so that later changes of the
    /// draft do not reach it.
    func captured() -> RequestSpec {
        guard case .draft(let draft, let store)? = subject else { return self }
        var spec = self
        spec.subject = .capture(draft.capture(), store)
        return spec
    }
}

extension RequestSpec.Body {
    var reader: BodyReader? {
        if case .reader(let reader) = content { reader } else { nil }
    }

    /// The bytes of this body that go out with an exchange, unless a reader gives them.
    var sent: ExchangeBody {
        switch content {
        case .bytes(let bytes): .bytes(bytes)
        case .reader: .none
        }
    }
}
