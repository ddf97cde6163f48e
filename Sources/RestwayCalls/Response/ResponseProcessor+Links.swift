import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayPlugins
import RestwayRequests
import RestwayRouting

/// Finds out what an answer means for the links of a relationship that the request is about.
extension ResponseProcessor {
    /// Lets the links of an answer to a change replace those of the object. An answer without links
    /// says that the server has made the change as it was sent.
    func takeLinks(
        _ rows: inout MappedAnswer.NewRows, _ plan: MappingPlan, _ answer: Answer
    ) {
        guard !request.method.isSafe, plan.relationship != nil else { return }
        if let row = rows.result?.onlyRow, rows.changes.rows[row].hasLinks {
            rows.changes.linkChange = ChangeSet.LinkChange(row: row, .replace)
        } else {
            takeSentLinks(&rows, plan, answer)
        }
    }

    /// Changes the links of the object as the request has asked for, if the answer has none.
    func takeSentLinks(
        _ rows: inout MappedAnswer.NewRows, _ plan: MappingPlan, _ answer: Answer
    ) {
        // With the status 202 the server has only promised the change.
        guard plan.relationship != nil, let kind = ChangeSet.LinkChange.Kind(request.method),
            answer.failure == nil, isDone(answer), answer.status != 202,
            let sent = sentLinks(plan, rows.template, answer)
        else { return }
        let row = rows.changes.rows.count + sent.row
        rows.changes.append(rowsOf: sent.changes)
        rows.changes.linkChange = ChangeSet.LinkChange(row: row, kind)
    }

    /// Reads the body of the request like an answer. A body that cannot be read changes nothing.
    private func sentLinks(
        _ plan: MappingPlan, _ template: PathTemplate?, _ answer: Answer
    ) -> (changes: ChangeSet, row: Int)? {
        guard case .bytes(let bytes) = request.exchange.body else { return nil }
        let type = request.exchange.headers.last { $0.isNamed("Content-Type") }?.value
        let mapper = context.mappers.mapper(
            named: request.dataMapper, type: type, looksLikeJSON: true)
        guard let mapper else { return nil }
        let reading = BodyReading(mapper: mapper, limits: limits, contentType: type)
        let machine = try? reading.read(Body(bytes)) { self.machine(plan, isAnswer: false) }
        guard var result = try? machine?.finish() else { return nil }
        RowCompletion.complete(&result, of: plan, from: source(of: answer, template))
        guard (try? identify(&result, template, answer)) != nil,
            let row = result.onlyRow, result.changeSet.rows[row].hasLinks
        else { return nil }
        return (result.takeChangeSet(), row)
    }
}

extension MappingPlan {
    /// The relationship whose links the answer holds.
    fileprivate var relationship: String? { descriptors.lazy.compactMap(\.relationship).first }
}

extension MappingResult {
    /// The row of the only result.
    fileprivate var onlyRow: Int? {
        let rows = results.joined()
        return rows.count == 1 ? rows.first : nil
    }
}

extension Snapshot {
    /// Whether the row says anything about a relationship.
    fileprivate var hasLinks: Bool {
        entity.relationships.indices.contains { !relationshipCell(at: $0).isAbsent }
    }
}

extension ChangeSet.LinkChange.Kind {
    /// The change that a request with `method` makes; `nil` if it changes no links.
    fileprivate init?(_ method: Method) {
        switch method {
        case .post: self = .add
        case .patch: self = .replace
        case .delete: self = .remove
        default: return nil
        }
    }
}
