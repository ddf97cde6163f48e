import RestwayDocument
import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayStore

/// Finds out whether an answer gives the object of the request another identity.
extension ResponseProcessor {
    /// Another identity for the object that the request is about.
    struct Renaming {
        let entity: Entity
        /// The store key of the object; 0 if only its former identity is known.
        let storeKey: Int64
        /// The identities that the object may have had, as the path or the object has them. The
        /// text of a path does not say whether an identity is a number.
        let former: [Identity]
        let identity: Identity
        /// The row that has the new identity.
        let row: Int

        var answer: ChangeSet.Answer {
            .init(storeKey: storeKey, entity: entity, row: row, formerIdentities: former)
        }
    }

    /// Returns the new identity of the object of the request; `nil` if the answer gives it none. A
    /// kept answer renames nothing, because the object may have another name by now.
    func renaming(
        _ result: MappingResult?, _ received: Answer, _ rows: [Snapshot]
    ) -> Renaming? {
        let (method, path) = (request.method, request.destination.path)
        guard method != .delete, received.cache?.isKept != true,
            // Behind a 303 stands another resource.
            request.exchange.method == method.rawValue,
            let route = call.api.routeOfRenames(method, path, request.destination.route)
                ?? (request.submission?.isMadeAgain == true ? request.destination.route : nil)
        else { return nil }
        let row = result?.onlyObject(like: request.submission?.entity, among: rows)
        guard let submission = request.submission else {
            return row.flatMap { renaming(rows[$0], $0, route, path) }
        }
        guard let former = submission.identity else { return nil }
        guard let row, let identity = rows[row].identity, identity != former else { return nil }
        return Renaming(
            entity: submission.entity, storeKey: submission.subject.storeKey, former: [former],
            identity: identity, row: row)
    }

    /// Returns the new identity of the object that the path of a request names.
    private func renaming(
        _ row: Snapshot, _ number: Int, _ route: Route, _ path: String?
    ) -> Renaming? {
        guard let path, let identity = row.identity else { return nil }
        let former = route.template.identitiesOfAnswer(row.entity, to: request.method, at: path)
        guard !former.isEmpty, !former.contains(identity) else { return nil }
        return Renaming(
            entity: row.entity, storeKey: 0, former: former, identity: identity, row: number)
    }

    /// Lets the requests that wait in the outbox name the object as the server does from now on.
    ///
    /// It comes before the commit: if the store then cannot take the answer, the next answer about
    /// the object renames it there.
    func tellWaitingRequests(
        of renaming: Renaming, _ received: Answer
    ) throws(Failure) {
        guard let outbox = context.outbox, let former = renaming.former.first else { return }
        let key = request.exchange.headers.first { $0.isNamed(IdempotencyKey.headerName) }?.value
        do throws(Failure) {
            try outbox.rename(
                renaming.entity, from: former, to: renaming.identity, besides: key)
        } catch {
            var failure = error
            failure.message = "\(describe(received)): \(error.message)"
            failure.isRetryable = error.isRetryable && request.method == .get
            throw failure
        }
    }
}
