import RestwayDocument
import RestwayHTTP
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayStore
import RestwayThreads

/// Writes items again after they were compared. The journal has the new form before it is sent.
extension ItemComparison {
    /// Writes an item that is sent with some of its cells, or with other values or another version.
    /// The cells that are parked become an item of their own.
    func rewritten(
        _ compared: ComparedItem, _ object: Snapshot, _ division: ConflictPlan.Division,
        _ sender: any StoredRequestSender
    ) throws(Failure) -> Result {
        let (item, entry) = (compared.item, compared.item.entry)
        var conflict = item.conflict ?? ItemConflict()
        var headers = entry.headers
        if conflict.stated != nil { headers.removeAll { $0.isPrecondition } }
        conflict.stated = nil
        if let field = compared.rule?.condition(division.version) {
            headers.append(field)
            conflict.stated = division.version
        }
        var body = entry.body
        if !compared.isDeletion, compared.isWritable {
            let request: PreparedRequest
            do throws(Failure) {
                request = try written(compared, object, division.sent, sender)
            } catch {
                return unwritable(item, error)
            }
            guard case .bytes(let bytes) = request.exchange.body else {
                return unwritable(item, Failure(.mapping, "the body was not written"))
            }
            body = bytes
            if compared.rule?.bodyKeyPath != nil {
                conflict.stated = request.versioned?.condition
            }
        }
        conflict.isRewritten = true
        conflict.needsNewest = false
        conflict.isUncertain = false
        let isOther = headers != entry.headers || body != entry.body
        let cellsDiffer = division.sent != compared.cells
        guard isOther || cellsDiffer || conflict != item.conflict else {
            return .send(item, against: object)
        }
        var rewriting = ItemRewriting()
        rewriting.conflict = conflict
        if isOther { (rewriting.headers, rewriting.body) = (headers, .some(body)) }
        if isOther, division.wasAnswered, SyncRules.newKey {
            rewriting.idempotencyKey = IdempotencyKey.random.text
        }
        if cellsDiffer { rewriting.change = compared.change(division.sent) }
        let failure = failure(.attributes, compared, division.parked, object)
        let off = EditID.random(outbox: journal.number)
        if !division.parked.isEmpty {
            rewriting.splitOff = splitOff(
                compared, division.parked, off, stating: conflict.stated, failure)
        }
        let parked = try changes.follow { () throws(Failure) in
            try rewrite(item, rewriting)
        } _: { _ in
            steps(compared, division, off)
        }
        return .send(
            try journal.existingItem(item.id), against: object,
            parked: try parked.map { id throws(Failure) in
                Parked(item: try journal.existingItem(id), failure: failure)
            })
    }

    /// Describes a part of an item that becomes a parked item with the headers of the item.
    ///
    /// - Parameter version: The version that the headers state.
    func splitOff(
        _ compared: ComparedItem, _ cells: [PendingEdit.Cell], _ edit: EditID,
        stating version: ObjectVersion?, _ why: Failure
    ) -> ItemRewriting.SplitOff {
        var conflict = ItemConflict()
        (conflict.kind, conflict.stated) = (.attributes, version)
        var trouble = OutboxTrouble(why)
        trouble.code = OutboxTrouble.conflict
        return ItemRewriting.SplitOff(
            change: compared.change(cells, as: edit.number), conflict: conflict,
            idempotencyKey: IdempotencyKey.random.text, trouble: trouble)
    }

    /// Writes the new form of an item. Drafts and calls that wait for the item find it by its new
    /// key.
    private func rewrite(
        _ item: OutboxItem, _ rewriting: ItemRewriting
    ) throws(Failure) -> Int64? {
        let parked = try journal.checked(journal.rewrite(item.id, rewriting))
        if let parked { identityTable.adopt(parked, of: item.id) }
        if let key = rewriting.idempotencyKey {
            followers.rename(item.id, from: item.entry.idempotencyKey, to: key)
            changes.renameDrafts(from: item.entry.idempotencyKey, to: key)
        }
        return parked
    }

    /// Returns the steps by which the store shows what the journal has of an item.
    private func steps(
        _ compared: ComparedItem, _ division: ConflictPlan.Division, _ off: EditID
    ) -> [EditStep] {
        guard let shown = compared.shown, !compared.isDeletion else { return [] }
        var steps: [EditStep] = []
        if !division.parked.isEmpty {
            steps = [
                .split(
                    compared.edit, off: off, storeKey: compared.storeKey,
                    cells: Set(division.parked.map(\.index))),
                .park(off),
            ]
        }
        if shown != division.sent {
            steps.append(.rebase(compared.edit, storeKey: compared.storeKey, division.sent))
        }
        return steps
    }

    // MARK: Requests

    /// Prepares the request of an item again, from the object of the server and the cells that are
    /// sent. No other pending edit is in it.
    private func written(
        _ compared: ComparedItem, _ object: Snapshot, _ cells: [PendingEdit.Cell],
        _ sender: any StoredRequestSender
    ) throws(Failure) -> PreparedRequest {
        let entry = compared.item.entry
        let method = Method(token: entry.method) ?? .patch
        let draft = draft(object, cells)
        var spec = RequestSpec(
            target: .path(method, entry.path), subject: .capture(draft.capture(), store))
        spec.sending.storing = .never
        let route = entry.origin.route.flatMap(
            around.api.loaded.definition.routes.route(key:))
        if let name = route?.name { spec.target = .routed(method, entry.path, route: name) }
        spec.headers = entry.headers.filter { $0.isNamed("Content-Type") }
            .map { ($0.name, $0.value) }
        return try sender.written(spec)
    }

    /// Makes a draft of the server's object. All cells are set, so that none of them takes the
    /// value of another pending edit.
    private func draft(_ object: Snapshot, _ cells: [PendingEdit.Cell]) -> Draft {
        let draft = Draft(copying: object)
        let sent = Dictionary(cells.map { ($0.index, $0.after) }) { $1 }
        for cell in 0..<object.entity.valueCount
        where !object.entity.isIdentity(attribute: cell) {
            draft.set(sent[cell] ?? object.value(at: cell), cell: cell)
        }
        return draft
    }

    /// Turns the change of an object that the server has deleted into a request that makes the
    /// object again.
    func recreated(
        _ compared: ComparedItem, _ object: Snapshot, _ sender: any StoredRequestSender
    ) throws(Failure) -> Result {
        let item = compared.item
        let rewriting: ItemRewriting
        do throws(Failure) {
            rewriting = try recreation(compared, object, sender)
        } catch {
            return unwritable(item, error)
        }
        _ = try rewrite(item, rewriting)
        return .send(try journal.existingItem(item.id))
    }

    /// Returns the form of an item in which it makes its object again, with all values.
    func recreation(
        _ compared: ComparedItem, _ object: Snapshot, _ sender: any StoredRequestSender
    ) throws(Failure) -> ItemRewriting {
        var spec = RequestSpec(
            target: .subject(.post),
            subject: .capture(draft(object, compared.cells).capture(), store))
        spec.sending.storing = .never
        let request = try sender.written(spec)
        guard let path = around.baseURL.uri(of: request.destination.url) else {
            throw Failure(.invalidURL, "the route that makes the object leads elsewhere")
        }
        var rewriting = ItemRewriting()
        rewriting.method = Method.post.rawValue
        rewriting.path = path
        rewriting.route = request.destination.route?.key
        rewriting.idempotencyKey = IdempotencyKey.random.text
        var headers = compared.item.entry.headers.filter { field in
            !field.isPrecondition && !field.isNamed("Content-Type")
        }
        if let type = request.exchange.headers.first(where: { $0.isNamed("Content-Type") }) {
            headers.append(type)
        }
        rewriting.headers = headers
        if case .bytes(let bytes) = request.exchange.body { rewriting.body = .some(bytes) }
        var conflict = compared.item.conflict ?? ItemConflict()
        (conflict.kind, conflict.stated, conflict.isRewritten) = (nil, nil, true)
        conflict.isMadeAgain = true
        rewriting.conflict = conflict
        return rewriting
    }

    /// An item whose request cannot be written again would fail in the same way each time, unless
    /// the client was closed.
    private func unwritable(_ item: OutboxItem, _ failure: Failure) -> Result {
        switch failure.reason {
        case .closed, .cancelled, .outOfMemory, .forked, .store: return .unable(item, failure)
        default: return .ended(item, .dead(OutboxTrouble(failure), nil, failure))
        }
    }
}
