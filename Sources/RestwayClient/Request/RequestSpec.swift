import RestwayHTTP
package import RestwayObjects
import RestwayOutbox
package import RestwayRouting

/// A request as its caller describes it. Nothing is looked up before it is sent.
package struct RequestSpec: Sendable {
    package enum Target: Sendable {
        case path(Method, String)
        case route(String, Method?)
        /// The object router finds the way of the subject.
        case subject(Method)
    }

    /// What a request is about: its attributes fill the path's variables, and its body if a
    /// descriptor says so.
    package enum Subject: Sendable {
        case object(Snapshot)
        /// A draft of an object of a store.
        case draft(Draft, ObservedStore)
        /// What a draft said when the request was sent.
        case capture(DraftCapture, ObservedStore)
    }

    /// What a caller gives for a path variable.
    package enum Variable: Sendable {
        case null
        case value(VariableValue)
        /// Its attributes serve the key paths that start with the variable's name.
        case object(Snapshot)
    }

    /// A body that goes out as it is.
    package struct Body: Sendable {
        enum Content {
            case bytes([UInt8])
            /// Gives it while it is sent.
            case reader(BodyReader)
        }

        let content: Content
        let mediaType: String

        package init(bytes: [UInt8], mediaType: String) {
            content = .bytes(bytes)
            self.mediaType = mediaType
        }

        package init(reader: BodyReader, mediaType: String) {
            // Of no bytes nothing is ever asked.
            content = reader.length == 0 ? .bytes([]) : .reader(reader)
            self.mediaType = mediaType
        }
    }

    /// Apart, as most requests have none, and each is copied more than once.
    private final class StoredItem: Sendable {
        let item: OutboxItem

        init(_ item: OutboxItem) { self.item = item }
    }

    package var target: Target
    package var subject: Subject?
    package var variables: [String: Variable] = [:]
    /// In the order in which they were given; of two with the same keys the later one stands.
    package var parameters: [Parameter] = []
    /// `nil` as value sends the request without that header.
    package var headers: [(name: String, value: String?)] = []
    package var body: Body?
    /// 0: the client's; -1: none.
    package var timeoutMilliseconds: Int64 = 0
    /// Higher goes first.
    package var priority: Int32 = 0

    /// `nil`: the route's, else `full`.
    package var authMode: AuthMode?
    package var idempotencyKey: IdempotencyKey?
    package var progress: ProgressRequest?
    /// In which it goes out, should it be stored; `nil`: the usual one.
    package var lane: String?
    /// What was stored, when it comes from the outbox.
    var stored: OutboxItem? {
        get { storedItem?.item }
        set { storedItem = newValue.map(StoredItem.init) }
    }
    var isStored: Bool { storedItem != nil }
    private var storedItem: StoredItem?
    /// It goes out inside of another request, which has the headers that all of them share.
    var travelsInBatch = false

    package init(target: Target, subject: Subject? = nil) {
        self.target = target
        self.subject = subject
    }

    /// The same, which later words of its draft do not reach.
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

    /// What goes out of it with an exchange, unless a reader gives it.
    var sent: ExchangeBody {
        switch content {
        case .bytes(let bytes): .bytes(bytes)
        case .reader: .none
        }
    }
}
