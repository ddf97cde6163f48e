import RestwayDocument
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayStore

/// Gives the object of an answer its identity if the answer does not, because the request is about
/// the object or its path names it.
extension ResponseProcessor {
    /// Completes the only object of an answer.
    ///
    /// - Parameter template: The template of the descriptors, for a request without a route.
    func identify(
        _ result: inout MappingResult, _ template: PathTemplate?, _ answer: Answer
    ) throws(Failure) {
        guard isDone(answer), let row = result.onlyObject(
                like: request.submission?.entity, among: result.changeSet.rows)
        else { return }
        takeParts(row, &result.changeSet.rows)
        let object = result.changeSet.rows[row]
        guard let index = object.entity.identityIndex, object.identity == nil,
            let identity = try identity(for: object.entity, template, isListed: result.hasLists)
        else { return }
        for part in object.entity.identityAttributes where object.cell(at: part).kind == .null {
            object.leaveOut(cellAt: part)
        }
        let value: Value =
            switch identity {
            case .integer(let number): .int64(number)
            case .string(let text): .string(text)
            }
        var values = [Value](repeating: .absent, count: index)
        values.append(value)
        object.leaveOut(cellAt: index)
        result.changeSet.rows[row] = object.completed(
            from: Snapshot.make(object.entity, values, isLoaded: false))
    }

    /// Gives the row of an answer the parts of its identity that the answer lacks and the object of
    /// the request has. The server may have named the last part.
    private func takeParts(_ row: Int, _ rows: inout [Snapshot]) {
        let object = rows[row]
        guard let parts = object.entity.identityParts, object.identity == nil,
            let submission = request.submission, submission.entity.isOfFamily(of: object.entity)
        else { return }
        var values = [Value](repeating: .absent, count: object.entity.valueCount)
        for part in parts.attributes {
            let value = submission.subject.value(at: part)
            if Identity(value) != nil { values[part] = value }
        }
        let completed = object.completed(
            from: Snapshot.make(object.entity, values, isLoaded: false))
        if completed.identity != nil { rows[row] = completed }
    }

    /// Returns the identity that the request names; `nil` if it names none.
    private func identity(
        for entity: Entity, _ template: PathTemplate?, isListed: Bool
    ) throws(Failure) -> Identity? {
        if let submission = request.submission, submission.entity.isOfFamily(of: entity),
            let identity = submission.identity
        {
            return identity
        }
        // A path names one object, and no element of a list. The only list in the answer about a
        // relationship holds linked objects.
        let isOfLinks = call.api.relationship(request.method, request.descriptorChoice) != nil
        guard !isListed || isOfLinks, let path = request.destination.path,
            let template = request.destination.route?.template ?? template
        else { return nil }
        let named = template.identitiesOfAnswer(entity, to: request.method, at: path)
        guard named.count > 1 else { return named.first }
        // The text of a path does not say whether the identity is a number. The store may know.
        for identity in named where try context.store.object(entity, identity) != nil {
            return identity
        }
        return named.last
    }
}

extension MappingResult {
    /// Returns the row of the only object of the answer; `nil` if the answer has several.
    ///
    /// - Parameter entity: The entity of the object that the request is about. Objects of other
    ///   families do not count then.
    func onlyObject(like entity: Entity?, among rows: [Snapshot]) -> Int? {
        var only: Int?
        for row in results.joined() where row != only {
            if let entity, !rows[row].entity.isOfFamily(of: entity) { continue }
            guard only == nil else { return nil }
            only = row
        }
        return only
    }
}
