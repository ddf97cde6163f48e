import RestwayHTTP

/// Header fields, in their order. Names are compared without regard to case.
///
///     let headers: Headers = ["Accept-Language": "it", "X-Trace": "7"]
///     response.headers["content-type"]
public struct Headers: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// One line: a name and its value.
    public struct Field: Sendable, Hashable {
        /// The name, in the case in which it was given or received.
        public let name: String
        /// The value.
        public let value: String

        /// Makes a field of a name and its value.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The fields, in their order.
    public private(set) var fields: [Field]
    /// The names of headers of the document or the client that a request with these headers does
    /// not have.
    public var omitted: Set<String> = []

    /// Makes headers of fields, in their order; a name may occur several times.
    public init(_ fields: [Field] = []) {
        self.fields = fields
    }

    public init(dictionaryLiteral fields: (String, String)...) {
        self.fields = fields.map(Field.init)
    }

    init(_ headers: RestwayHTTP.Headers) {
        fields = headers.fields.map { Field(name: $0.name, value: $0.value) }
    }

    /// The values of all fields called `name`, separated by commas; `nil` if no field has this
    /// name. Setting it replaces these fields with one field, or removes them.
    public subscript(name: String) -> String? {
        get { core.joined(name) }
        set {
            var headers = core
            if let newValue { headers.set(name, newValue) } else { headers.remove(name) }
            fields = Headers(headers).fields
        }
    }

    /// Adds a field after the others.
    public mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Takes over the other fields. They replace the fields of the same names.
    public mutating func replace(with others: Headers) {
        for field in others { self[field.name] = nil }
        fields += others.fields
        omitted.formUnion(others.omitted)
    }

    var core: RestwayHTTP.Headers {
        RestwayHTTP.Headers(fields.map { HeaderField(name: $0.name, value: $0.value) })
    }
}

extension Headers: RandomAccessCollection {
    public var startIndex: Int { fields.startIndex }
    public var endIndex: Int { fields.endIndex }
    public subscript(position: Int) -> Field { fields[position] }
}
