import RestwayDocument
import RestwayOutcome
import RestwayRequests
import RestwayThreads

/// The stage in which a request with a resumable upload becomes the next request of the upload.
enum UploadStage {
    static func enter(_ entry: StageEntry) {
        guard let upload = entry.request.sending.upload else {
            return _ = entry.report(.continued(entry.request))
        }
        // Files are read and written, and this thread must not wait for that.
        WorkerPool.forBodies.submit { prepare(entry, upload) }
    }

    private static func prepare(_ entry: StageEntry, _ upload: UploadSession) {
        let call = entry.call
        let next: PreparedRequest
        do throws(Failure) {
            next = try upload.nextRequest(
                after: entry.request, call.api.definition.environments.redirects,
                entry.context.environment)
        } catch {
            let failure = call.located(error)
            return entry.context.pool.submit { entry.on(.worker).fail(failure) }
        }
        // The call continues on another worker, because other calls wait for the workers for
        // bodies.
        entry.context.pool.submit { entry.report(.continued(next), on: .worker) }
    }
}
