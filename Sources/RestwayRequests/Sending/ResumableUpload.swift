import RestwayBodies
import RestwayDocument
import RestwayHTTP
import RestwayOutcome
import RestwayRouting

// The choice of a resumable upload. It is a part of how a request is sent.
extension RequestPreparation {
    /// Returns how a request is uploaded; `nil` if its body is sent in one request. The setting of
    /// a route applies to the resources that are sent to that route.
    func resumption(_ spec: RequestSpec, _ settings: RouteSettings) -> UploadProtocol? {
        if let plan = spec.given.upload { return plan.resumption }
        guard case .resource? = spec.given.body?.content else { return nil }
        return settings.body.upload?.resumption
    }

    /// Returns the resumable upload of a request; `nil` if its body is sent in one request.
    func upload(
        _ spec: RequestSpec, _ content: RequestContent, _ method: Method,
        _ settings: RouteSettings
    ) throws(Failure) -> UploadSession? {
        guard let resumption = resumption(spec, settings),
            let plan = spec.given.upload ?? settings.body.upload
        else { return nil }
        guard case .resource(let resource, let digests)? = spec.given.body?.content,
            try length(of: resource) != nil
        else { throw refused("it needs a resource with a length as the body") }
        let problem: String? =
            if spec.isInBatch {
                "a batch takes no uploads"
            } else if !digests.isEmpty {
                "a resource that is sent in pieces has no headers with a digest"
            } else if content.isCompressed {
                "a compressed body cannot go on in the middle"
            } else if !spec.reception.bodyDestination.isMemory || settings.answers.areSaved {
                "the answer to an upload is neither saved nor streamed"
            } else if !resumption.methods.contains(method.rawValue) {
                "\(resumption.rawValue) creates an upload with "
                    + resumption.methods.joined(separator: ", ") + ", not with \(method.rawValue)"
            } else if plan.isTerminated, plan.statePath == nil {
                "without a state file there is nothing to delete"
            } else {
                nil
            }
        if let problem { throw refused(problem) }
        return UploadSession(plan, resumption, resource)
    }

    private func length(of resource: Resource) throws(Failure) -> Int64? {
        do throws(ResourceError) {
            return try resource.extent().length
        } catch {
            throw Failure(error)
        }
    }

    private func refused(_ problem: String) -> Failure {
        Failure(
            .invalidArgument, "the upload cannot be resumable: \(problem)", field: "resumable")
    }
}
