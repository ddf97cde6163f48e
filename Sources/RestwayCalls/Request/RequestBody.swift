import RestwayDocument
import RestwayHTTP
import RestwayJSON
import RestwayJansson
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayPlugins
import RestwayRouting
import RestwayThreads

/// Makes the body of a request: the mapped object, with the caller's parameters over it.
struct RequestBody {
    let context: CallContext
    let api: LoadedAPI
    let method: Method
    let path: String?
    let route: Route?
    /// The name of the route's mapper.
    let dataMapper: String?
    /// The media type that the request or its route asks for.
    let contentType: String?
    let questions: BodyQuestions
    /// Whether the request can be stored until the server has named the object that it is about.
    let mayWait: Bool
    let identities: (any LocalIdentities)?

    private static let json = JanssonMapper()

    private var limits: MappingLimits {
        MappingLimits(nestingDepthMax: context.options.nestingDepthMax)
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
    func mapped(_ submission: inout Submission) throws(Failure) -> Mapped {
        guard let descriptor = try descriptor(submission) else { return .nothing }
        if questions.areOpen(api) { return .owed }
        submission.isChangedOnly = descriptor.isChangedOnly
        var options = EncodingOptions()
        options.keepsNulls = descriptor.keepsNulls
        options.isChangedOnly = descriptor.isChangedOnly
        options.limits = limits
        options.keepsInfinities = try writer().mapper.writesInfinities
        options.transforms = api.definition.functions.transforms
        options.isAbandoned = questions.isAbandoned
        if let identities {
            options.identityForNow = identities.value
            options.identityInside = identities.valueInside
            let (mayCreate, mayWait) = (method == .post, try mayWaitInBody())
            options.identityOutermost = { entity, key in
                identities.valueOutermost(entity, key, mayCreate: mayCreate, mayWait: mayWait)
            }
        }
        options.excludes = { entity, relationship in
            if entity === descriptor.mapping.entity,
                descriptor.excluded.contains(relationship.name)
            {
                return true
            }
            guard let exclusion = questions.exclusion else { return false }
            return CallbackScope.run { exclusion(method, path, entity, relationship) }
        }
        var unread: Failure?
        var encoder = ObjectEncoder(
            mappings: api.definition.entityMappings, options: options, json: Self.json
        ) { entity, key in
            do throws(Failure) {
                return try context.store.newest(entity, storeKey: key)
            } catch {
                unread = unread ?? error
                return nil
            }
        }
        let object = try encode(&encoder, submission.subject, descriptor.mapping)
        if let unread { throw unread }
        submission.sent = encoder.sent
        guard !descriptor.keyPath.isEmpty else { return .object(object) }
        var wrapped = WireObject()
        _ = wrapped.set(descriptor.keyPath[...], .object(object))
        return .object(wrapped)
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
            throw Failure(reason, error.message, field: error.field)
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
        return RequestDescriptor(mapping: mapping)
    }

    /// Whether the journal can later put an identity into the body. It cannot if the mapper is
    /// unknown to it, because it cannot read that format.
    private func mayWaitInBody() throws(Failure) -> Bool {
        guard mayWait else { return false }
        return BodyForm(mediaType: try writer().type) != .plain
    }

    /// Returns the mapper that writes the body.
    func writer() throws(Failure) -> MapperTable.Writer {
        try context.mappers.writer(named: dataMapper, type: contentType)
    }

    /// Returns the bytes of a body and their media type: `mapped` over the parameters of the
    /// document, and the caller's parameters over both.
    func bytes(
        _ mapped: WireObject?, defaults: [Parameter], callers: [Parameter]
    ) throws(Failure) -> (bytes: [UInt8], mediaType: String) {
        let writer = try writer()
        var body: WireObject
        if let mapped {
            body = try ParameterEncoding.object(defaults)
            body.merge(mapped)
            body.merge(try ParameterEncoding.object(callers))
        } else {
            body = try ParameterEncoding.object(defaults + callers)
        }
        do throws(MapperError) {
            let bytes = try writer.mapper.encode(
                ValueReader(.object(body), json: Self.json, limits: limits))
            return (bytes, writer.type)
        } catch {
            throw Failure(.mapping, "the body of the request: \(error.message)")
        }
    }
}
