import RestwayBodies
import RestwayDocument
package import RestwayHTTP
import RestwayJSON
package import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayPlugins
import RestwayRouting
import RestwayText

/// The headers and the body with which a request goes out: the second of the three steps in which a
/// request is prepared.
package struct RequestContent {
    /// The parameters that go into the query of the URL.
    var query: [Pair] = []
    var headers: [HeaderField] = []
    /// The body, unless `reader` gives it.
    package var body = ExchangeBody.none
    /// The reader that gives the body while it is sent.
    var reader: BodyReader?
    package var mediaType: String?
    /// The values of a body that a mapper has written; `nil` for any other body.
    package var mapped: WireObject?
    /// Headers with the digests of the body.
    var digests: [HeaderField] = []
    /// Whether the body is compressed when it is sent.
    var isCompressed = false
    /// Whether the body is made later.
    var isOwed = false
    /// The object or the draft that the request is about, and what was written of it.
    package var submission: Submission?
    /// The change of an object whose versions are known; `nil` for any other request.
    package var versioned: VersionedChange?
    /// Where the body of a successful answer goes. The headers ask for the answer accordingly.
    var bodyDestination = BodyDestination.memory

    /// Whether the body has bytes, or may have some.
    var hasBody: Bool { isOwed || reader != nil || body.count != 0 }

    /// Takes a `Content-Length` that the program states out of the headers, as the transport writes
    /// it. A body of unknown length gets the length; for any other body it must be right.
    fileprivate mutating func takeStatedLength() throws(Failure) {
        guard let stated = headers.first(where: { $0.isNamed("Content-Length") })?.value else {
            return
        }
        headers.removeAll { $0.isNamed("Content-Length") }
        // The request is prepared again with its body.
        if isOwed { return }
        func refused(_ why: String) -> Failure {
            Failure(
                .invalidArgument, "the Content-Length \"\(stated)\" \(why)",
                field: "Content-Length")
        }
        guard let length = Headers.wholeNumber(Substring(stated)) else {
            throw refused("is not a number of bytes")
        }
        guard !isCompressed else {
            throw refused("cannot be known before the body is compressed")
        }
        if let reader, reader.length == nil {
            reader.state(length: length)
        } else {
            let count = reader.map(\.length) ?? body.count ?? 0
            guard count == length else {
                throw refused("is wrong: the body has \(count ?? 0) bytes")
            }
        }
    }
}

extension RequestPreparation {
    /// The second step: writes the body, and the headers that say what is sent and what is accepted
    /// as its answer.
    ///
    /// - Parameters:
    ///   - submission: The object or the draft that the request is about.
    ///   - destination: Where the request goes, as the first step has found.
    func content(
        of spec: RequestSpec, about submission: Submission?, to destination: RequestDestination,
        _ settings: RouteSettings
    ) throws(Failure) -> RequestContent {
        var written = submission
        let versioned = try versionedChange(spec, submission, to: destination, settings)
        var content = try body(of: spec, &written, destination, settings, versioned)
        content.versioned = versioned
        // An object that fills the path of a relationship is not sent itself.
        content.submission = relationship(destination) == nil ? written : nil
        content.bodyDestination = try BodyDestination.of(
            spec, settings, destination.method, saveBytesMax: Int64(context.options.saveBytesMax))
        content.headers = headers(
            spec, settings, isTrusted: destination.isTrusted, of: content,
            acceptsAnything: acceptsAnything(spec, destination, settings))
        if let condition = versioned?.header {
            content.headers.set(condition.name, condition.value)
        }
        content.isCompressed = isCompressed(spec, settings, content)
        guard !content.isCompressed || content.digests.isEmpty else {
            throw Failure(
                .invalidArgument,
                "a body with gzip has no digest beforehand: a digest is of the compressed bytes",
                field: "gzip")
        }
        try content.takeStatedLength()
        return content
    }

    // MARK: The body

    /// Makes the body and its media type from what the caller gives and what the document says.
    /// Parameters that are not part of the body go into the query.
    private func body(
        of spec: RequestSpec, _ submission: inout Submission?, _ destination: RequestDestination,
        _ settings: RouteSettings, _ versioned: VersionedChange?
    ) throws(Failure) -> RequestContent {
        if case .link = spec.target { return RequestContent() }  // It has all parameters.
        let method = destination.method
        let defaults = defaults(destination, settings)
        let callers = spec.parameters + ofFirstPage(spec, destination, settings)
        let encoder = encoding(spec, settings)
        if let raw = spec.given.body {
            guard !method.hasNoBody else {
                throw Failure(
                    .invalidArgument, "a \(method.rawValue) request has no body", field: "body")
            }
            let query = try query(defaults + callers, settings)
            var content = try content(given: raw, spec, destination, encoder)
            content.query = query
            if content.mediaType == raw.mediaType {
                content.mediaType = mediaType(of: raw, spec, destination, settings)
            }
            return content
        }
        let serialization = try serialization(spec, settings, method)
        var content = RequestContent()
        // The parameters of the document, and the parameters of the caller, that go into the body.
        var inBody = (defaults: defaults, callers: callers)
        if method.parametersGoIntoQuery, serialization != .none {
            content.query = try query(defaults + callers, settings)
            inBody = ([], [])
        }
        let isEmpty =
            inBody.defaults.isEmpty && inBody.callers.isEmpty && spec.given.files.isEmpty
        if submission == nil, isEmpty { return content }
        let maker = maker(spec, destination, settings, serialization, isEncoded: encoder != nil)
        var mapped = RequestBody.Mapped.nothing
        if var sent = submission {
            if let name = relationship(destination) {
                mapped = isEmpty ? try maker.writeLinks(of: name, &sent) : .nothing
            } else {
                mapped = try maker.writeObject(&sent)
            }
            submission = sent
        }
        var object: WireObject?
        switch mapped {
        case .object(let written): object = written
        case .nothing: break
        case .owed:
            content.mediaType = try maker.mediaType()
            content.isOwed = true
            return content
        }
        if let version = versioned?.inBody, object != nil {
            _ = object?.set(version.keyPath[...], version.value)
        }
        if object == nil, isEmpty { return content }
        let values = try maker.merged(object, defaults: inBody.defaults, callers: inBody.callers)
        let query = content.query
        if let encoder {
            guard spec.given.files.isEmpty else { throw encoder.filesRefused }
            content = try encoder.content(of: values)
        } else if serialization != .none {
            content = try maker.content(values, files: spec.given.files)
        } else {
            let parameters = values.keys.compactMap { key in
                values[key].map { Parameter(keys: [key], value: $0) }
            }
            content.query = try self.query(parameters, settings)
            return content
        }
        content.query = query
        return content
    }

    /// Returns the maker of a body from an object and parameters.
    ///
    /// - Parameter isEncoded: Whether a function of the program writes the body.
    private func maker(
        _ spec: RequestSpec, _ destination: RequestDestination, _ settings: RouteSettings,
        _ serialization: Serialization, isEncoded: Bool
    ) -> RequestBody {
        var type = spec.contentType ?? settings.contentType(serialization)
        if type == nil, serialization == .json, settings.dataMapper == nil {
            type = generalContentType(spec, destination).flatMap { general in
                (try? context.mappers.writer(named: nil, type: general)) == nil ? nil : general
            }
        }
        return RequestBody(
            context: context, api: api, method: destination.method, path: destination.path,
            route: destination.route, dataMapper: settings.dataMapper,
            contentType: isEncoded ? nil : type, serialization: serialization,
            fields: fieldWriter(.body, settings), questions: questions,
            mayWait: !isEncoded && isStorable(spec, destination, settings),
            identities: identities)
    }

    /// Returns the `Content-Type` that the client, the environment or the document has for all
    /// requests.
    private func generalContentType(
        _ spec: RequestSpec, _ destination: RequestDestination
    ) -> String? {
        guard destination.isTrusted else { return nil }
        let ofClient = spec.clientHeaders?.last { $0.isNamed("Content-Type") }?.value
        return ofClient
            ?? environment.headers.last { $0.name.isSameHeader(as: "Content-Type") }?.value
    }

    /// Returns the media type of a body that the caller gives. A type that says no more than what
    /// kind of data the bytes are gives way to a `Content-Type` of the route, the format, the
    /// client, the environment or the document.
    private func mediaType(
        of raw: RequestSpec.Body, _ spec: RequestSpec, _ destination: RequestDestination,
        _ settings: RouteSettings
    ) -> String {
        if case .resource = raw.content { return raw.mediaType }
        guard Self.generalTypes.contains(raw.mediaType) else { return raw.mediaType }
        let isJSON = raw.mediaType == MediaType.json
        return settings.contentType(isJSON ? .json : nil)
            ?? generalContentType(spec, destination) ?? raw.mediaType
    }

    private static let generalTypes = [
        MediaType.json, "application/octet-stream", "text/plain; charset=utf-8",
    ]

    private func content(
        given raw: RequestSpec.Body, _ spec: RequestSpec, _ destination: RequestDestination,
        _ encoder: BodyEncoding?
    ) throws(Failure) -> RequestContent {
        guard spec.given.files.isEmpty else {
            throw Failure(
                .invalidArgument, "a request has a body or files, not both", field: "files")
        }
        try refuseBrokenJSON(raw, destination)
        if let encoder, case .bytes(let json) = raw.content, MediaType.isJSON(raw.mediaType) {
            return try encoder.content(ofJSON: json)
        }
        return try content(of: raw)
    }

    /// Returns how the parameters of a request are written.
    private func serialization(
        _ spec: RequestSpec, _ settings: RouteSettings, _ method: Method
    ) throws(Failure) -> Serialization {
        let chosen = spec.given.serialization ?? settings.body.serialization
        if chosen == .form || !spec.given.files.isEmpty, spec.contentType != nil {
            throw Failure(
                .invalidArgument, "a multipart body has a Content-Type of its own",
                field: "Content-Type")
        }
        guard !spec.given.files.isEmpty else { return chosen ?? .json }
        guard !method.parametersGoIntoQuery else {
            throw Failure(
                .invalidArgument, "a \(method.rawValue) request has no files", field: "files")
        }
        guard chosen ?? .form == .form else {
            throw Failure(
                .invalidArgument,
                "files need the serialization \"form\", and the request has "
                    + "\"\((chosen ?? .form).rawValue)\"", field: "files")
        }
        return .form
    }

    /// Refuses a body in memory that is declared as JSON and is no JSON.
    private func refuseBrokenJSON(
        _ raw: RequestSpec.Body, _ destination: RequestDestination
    ) throws(Failure) {
        guard case .bytes(let bytes) = raw.content, !bytes.isEmpty, MediaType.isJSON(raw.mediaType)
        else { return }
        let charset = HeaderParameters.read(raw.mediaType)["charset"]?.lowercased() ?? "utf-8"
        guard charset == "utf-8" else { return }
        do throws(JSONError) {
            try JSONSyntax.check(bytes)
        } catch {
            let excerpt = ErrorExcerpt(api.definition.redaction).text(ofBroken: bytes)
            throw Failure(
                .invalidArgument,
                "\(destination.method.rawValue) \(URLText.withoutQuery(destination.url)): the body "
                    + "is declared as \(raw.mediaType) and is \(error.message)"
                    + (excerpt.map { ": \($0)" } ?? ""), field: "body")
        }
    }

    /// Returns the content of a body that the caller gives.
    private func content(of raw: RequestSpec.Body) throws(Failure) -> RequestContent {
        var content = RequestContent(mediaType: raw.mediaType)
        switch raw.content {
        case .bytes(let bytes):
            content.body = .bytes(bytes)
        case .reader(let reader):
            content.reader = reader
        case .resource(let resource, let digests):
            // A worker reads the file for its digests.
            if !digests.isEmpty, resource.bytes == nil, !questions.mayAsk {
                content.isOwed = true
                return content
            }
            do throws(ResourceError) {
                content.digests = try digests.fields(of: resource)
            } catch {
                throw Failure(error)
            }
            try content.send([.resource(resource)], isExact: !digests.isEmpty)
        }
        return content
    }

    private func query(
        _ parameters: [Parameter], _ settings: RouteSettings
    ) throws(Failure) -> [Pair] {
        if parameters.isEmpty { return [] }
        return try ParameterEncoding.query(parameters, fieldWriter(.query, settings))
    }

    private enum FieldPlace { case query, body }

    private func fieldWriter(_ place: FieldPlace, _ settings: RouteSettings) -> FieldWriter {
        let rules = settings.body.forms.over(api.definition.rules.forms)
        return FieldWriter(
            style: place == .query ? .query(rules) : .body(rules), json: RequestBody.json,
            limits: context.options.mappingLimits)
    }

    /// Returns the parameters of the first page for a plain request by the name of a route with
    /// pages, as far as the request does not have them.
    private func ofFirstPage(
        _ spec: RequestSpec, _ destination: RequestDestination, _ settings: RouteSettings
    ) -> [Parameter] {
        guard let pages = settings.answers.pages, case .route = spec.target, spec.subject == nil,
            let route = destination.route,
            destination.method == .get
                || destination.method == .post && !route.methods.contains(.get)
        else { return [] }
        let given = Set((spec.parameters + settings.parameters).map(\.keys))
        return pages.parametersOfFirstPage.filter { !given.contains([$0.name]) }
            .map { Parameter(keys: [$0.name], value: .leaf(.int64($0.value))) }
    }

    /// Returns the parameters that the document gives.
    private func defaults(
        _ destination: RequestDestination, _ settings: RouteSettings
    ) -> [Parameter] {
        // A link from the server has all its parameters already.
        if destination.isGivenURL, destination.method.parametersGoIntoQuery { return [] }
        var parameters: [Parameter] = []
        if let path = destination.path {
            for defaults in api.definition.rules.requestDefaults
            where defaults.methods.isEmpty || defaults.methods.contains(destination.method) {
                if defaults.template.matches(path) { parameters += defaults.parameters }
            }
        }
        return parameters + settings.parameters
    }

    /// Whether the body is compressed when it is sent.
    private func isCompressed(
        _ spec: RequestSpec, _ settings: RouteSettings, _ content: RequestContent
    ) -> Bool {
        (spec.given.isCompressed ?? settings.body.isCompressed) && content.hasBody
            && !spec.isInBatch
            && !content.headers.contains { $0.isNamed("Content-Encoding") }
    }
}

extension RequestSpec {
    /// The media type that the caller asks for.
    var contentType: String? {
        headers.last { $0.name.lowercased() == "content-type" }?.value
    }
}

extension RequestContent {
    /// Makes the content of a stored request, which has all its headers and its body.
    package init(headers: [HeaderField], body: ExchangeBody, submission: Submission?) {
        self.init()
        self.headers = headers
        self.body = body
        self.submission = submission
    }

    /// Sends parts of which at least one may not be in memory.
    mutating func send(_ parts: [BodyPart], isExact: Bool = false) throws(Failure) {
        if parts.count == 1, case .resource(let resource) = parts[0], let bytes = resource.bytes {
            body = .bytes(bytes)
            return
        }
        let reader = try BodyParts(parts, isExact: isExact).reader()
        // A reader without bytes is never called.
        if reader.length == 0 { body = .bytes([]) } else { self.reader = reader }
    }
}
