import RestwayDocument
import RestwayHTTP
import RestwayJSON
import RestwayJansson
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayPlugins
import RestwayRouting
import RestwayStore
import RestwayText
import RestwayThreads

/// Makes the body of a request: the mapped object, with the caller's parameters over it.
struct RequestBody {
    let context: any RequestContext
    let api: LoadedAPI
    let method: Method
    let path: String?
    let route: Route?
    /// The name of the route's mapper.
    let dataMapper: String?
    /// The media type that the request or its route asks for.
    let contentType: String?
    let serialization: Serialization
    /// Writes the fields of a form.
    let fields: FieldWriter
    let questions: BodyQuestions
    /// Whether the request can be stored until the server has named the objects that the body
    /// names.
    let mayWait: Bool
    let identities: (any LocalIdentities)?

    static let json = JanssonMapper()

    private var limits: MappingLimits {
        context.options.mappingLimits
    }

    /// The result of writing the object that a request is about.
    enum Mapped {
        /// The object only fills the path.
        case nothing
        case object(WireObject)
        /// The program must be asked, and not on this thread.
        case owed
    }

    /// Writes the object that `submission` is about, if a descriptor or a draft puts it into the
    /// body.
    func writeObject(_ submission: inout Submission) throws(Failure) -> Mapped {
        guard let descriptor = try descriptor(submission) else { return .nothing }
        if questions.areOpen(api) { return .owed }
        let object = try write(&submission, descriptor)
        guard !descriptor.keyPath.isEmpty else { return .object(object) }
        var wrapped = WireObject()
        _ = wrapped.set(descriptor.keyPath[...], .object(object))
        return .object(wrapped)
    }

    /// Writes the links of one relationship of the object, which a PATCH replaces as a whole.
    func writeLinks(
        of name: String, _ submission: inout Submission
    ) throws(Failure) -> Mapped {
        if method.isSafe { return .nothing }
        let entity = submission.entity
        guard method == .patch, let mapping = api.definition.mapping(named: entity.name),
            let source = mapping.relationships.first(where: {
                entity.relationships[$0.relationship].name == name
            })?.source
        else {
            throw Failure(
                .invalidArgument,
                "a \(method.rawValue) of the relationship \"\(name)\" needs a body that names the "
                    + "objects: {\"data\": [{\"type\": …, \"id\": …}]}", field: "body")
        }
        if questions.areOpen(api) { return .owed }
        let others = (entity.attributes.map(\.name) + entity.relationships.map(\.name))
            .filter { $0 != name }
        let object = try write(
            &submission, RequestDescriptor(mapping: mapping, excluded: Set(others)))
        guard let links = object.value(at: source[...]) else {
            throw Failure(
                .invalidArgument, "the object does not know its relationship \"\(name)\"",
                field: name)
        }
        var body = WireObject()
        body["data"] = links
        return .object(body)
    }

    /// Writes the object as a descriptor says, without the keys that wrap it.
    private func write(
        _ submission: inout Submission, _ descriptor: RequestDescriptor
    ) throws(Failure) -> WireObject {
        submission.isChangedOnly = descriptor.isChangedOnly
        var options = EncodingOptions()
        options.keepsNulls = descriptor.keepsNulls
        options.isChangedOnly = descriptor.isChangedOnly
        options.limits = limits
        options.keepsInfinities = try mayWriteInfinities
        options.transforms = api.definition.functions.transforms
        options.isAbandoned = questions.isAbandoned
        var unheld: Failure?
        if let identities {
            let (mayCreate, mayWait) = (method == .post, mayWait)
            func held(_ identity: IdentityForNow?) -> IdentityForNow? {
                if case .pending = identity, !mayWait { unheld = unheld ?? identities.missing }
                return identity
            }
            options.identityForNow = { held(identities.value($0, $1)) }
            options.noteNamed = identities.noteNamed
            options.identityInside = { held(identities.valueInside($0, $1)) }
            options.identityOutermost = { entity, key in
                identities.valueOutermost(entity, key, mayCreate: mayCreate, mayWait: mayWait)
            }
        }
        options.excludesAttribute = { descriptor.leavesOut($1, of: $0) }
        options.excludes = { entity, relationship throws(HostRefusal) in
            if descriptor.leavesOut(relationship.name, of: entity) { return true }
            guard let exclusion = questions.exclusion else { return false }
            return try CallbackScope.run { () throws(HostRefusal) in
                try exclusion(method, path, entity, relationship)
            }
        }
        var unread: Failure?
        var encoder = ObjectEncoder(
            mappings: api.definition.entityMappings, options: options, json: Self.json
        ) { [subject = submission.subject] entity, key in
            if let unkept = subject.unkeptObject(key) { return unkept }
            do throws(Failure) {
                return try context.store.newest(entity, storeKey: key)
            } catch {
                unread = unread ?? error
                return nil
            }
        }
        let object = try encode(&encoder, submission.subject, descriptor.mapping)
        if let failure = unread ?? unheld { throw failure }
        submission.sent = encoder.sent
        return object
    }

    private func encode(
        _ encoder: inout ObjectEncoder, _ subject: EncodingSubject, _ mapping: EntityMapping
    ) throws(Failure) -> WireObject {
        do throws(EncodingError) {
            return try encoder.encode(subject, mapping)
        } catch {
            let reason: Failure.Reason =
                switch error {
                case .abandoned, .refused: .cancelled
                default: .mapping
                }
            var failure = Failure(reason, error.message, field: error.field)
            failure.cause = error.cause
            throw failure
        }
    }

    /// Returns the descriptor that applies. A draft is made to be sent, so without a descriptor it
    /// is sent whole.
    private func descriptor(_ submission: Submission) throws(Failure) -> RequestDescriptor? {
        let entity = submission.entity
        let descriptor = api.requestDescriptor(
            method: method, entity: entity, route: route, path: path)
        if let descriptor { return descriptor }
        guard case .draft = submission.subject, !method.parametersGoIntoQuery else { return nil }
        let mapping = api.definition.mapping(named: entity.name)
        guard let mapping, mapping.entity === entity else {
            throw Failure(
                .invalidArgument, "the draft of \(entity.name) is of another api", field: "draft")
        }
        return RequestDescriptor(mapping: mapping, keyPath: mapping.usualKeyPath)
    }

    private var mayWriteInfinities: Bool {
        get throws(Failure) {
            serialization == .json ? try writer().mapper.writesInfinities : false
        }
    }

    /// Returns the mapper that writes the body, if it is no form.
    private func writer() throws(Failure) -> MapperTable.Writer {
        try context.mappers.writer(named: dataMapper, type: contentType)
    }

    /// Returns the media type of the body; nil if there is no body. The type of a multipart body
    /// gets its boundary later.
    func mediaType() throws(Failure) -> String? {
        switch serialization {
        case .json: return try writer().type
        case .url: return try own(Self.urlEncoded)
        case .form: return try own(MultipartForm.mediaType)
        case .none: return nil
        }
    }

    private static let urlEncoded = "application/x-www-form-urlencoded"

    /// Returns the media type of a form. A Content-Type that asks for something else is an error.
    private func own(_ type: String) throws(Failure) -> String {
        guard let contentType else { return type }
        guard MediaType.essence(contentType) == type else {
            throw Failure(
                .invalidArgument,
                "the serialization \"\(serialization.rawValue)\" writes \"\(type)\", and the "
                    + "request's Content-Type asks for \"\(contentType)\"", field: "Content-Type")
        }
        return contentType
    }

    /// Returns the values of a body: `mapped` over the parameters of the document, and the caller's
    /// parameters over both.
    func merged(
        _ mapped: WireObject?, defaults: [Parameter], callers: [Parameter]
    ) throws(Failure) -> WireObject {
        guard let mapped else { return try ParameterEncoding.object(defaults + callers) }
        var body = try ParameterEncoding.object(defaults)
        body.merge(mapped)
        body.merge(try ParameterEncoding.object(callers))
        return body
    }

    /// Writes `values` and, after them, files.
    func content(_ values: WireObject, files: [FormFile]) throws(Failure) -> RequestContent {
        var content = RequestContent(mediaType: try mediaType())
        switch serialization {
        case .json, .none:
            let mapper = try writer().mapper
            let reader = ValueReader(.object(values), json: Self.json, limits: limits)
            content.mapped = values
            content.body = .bytes(
                try writing { () throws(MapperError) in try mapper.encode(reader) })
        case .url:
            let pairs = try flattened(values).pairs
            content.body = .bytes(FormFields.encode(pairs.map { ($0.name, $0.value) }))
        case .form:
            let form = MultipartForm(fields: try flattened(values), files: files)
            content.mediaType = form.contentType
            if let bytes = form.bytes {
                content.body = .bytes(bytes)
            } else {
                try content.send(form.bodyParts)
            }
        }
        return content
    }

    private func flattened(_ values: WireObject) throws(Failure) -> [FormField] {
        try writing { () throws(MapperError) in try fields.fields(of: values) }
    }

    private func writing<Written>(
        _ write: () throws(MapperError) -> Written
    ) throws(Failure) -> Written {
        do {
            return try write()
        } catch {
            throw Failure(.mapping, "the body of the request: \(error.message)")
        }
    }
}
