import RestwayJSON
import RestwayObjects
import RestwayOutcome

/// The facts that an item keeps about the comparison of its change with the server's values, and
/// about a conflict. The column `conflict` has them as JSON.
struct ItemConflict: Equatable, Sendable {
    /// The kind of the conflict of a parked item; `nil` for an item that is not parked.
    var kind: Conflict.Kind?
    /// The number of times that the server has refused the item because of a conflict.
    var tries = 0
    /// The version that the server has refused. It is never sent again.
    var refused: ObjectVersion?
    /// Whether an attempt before the refused one may have arrived, so that the server's values may
    /// be the item's own.
    var isUncertain = false
    /// Whether the newest object is fetched before the item is sent.
    var needsNewest = false
    /// Whether the server has answered that the object no longer exists.
    var isGone = false
    /// Whether the item, as it is stored, has been compared with the server's values. Every item
    /// that is compared is sent only after this was set, so an item without it was not sent since
    /// its last answer.
    var isRewritten = false
    /// The version that the stored request states as its condition. A condition without it is the
    /// program's own.
    var stated: ObjectVersion?
    /// Whether the server has asked for a condition.
    var needsCondition = false
    /// Whether the item makes its object again, which the server has deleted.
    var isMadeAgain = false

    /// Whether the items behind a parked item wait for it: the conflict is about the object as a
    /// whole.
    var blocksLane: Bool {
        switch kind {
        case .theyDeleted, .iDelete: true
        case .attributes, nil: false
        }
    }
}

extension ItemConflict {
    /// The form in the file.
    var text: String { String(decoding: json.text(), as: UTF8.self) }

    var json: JSONValue {
        var members: [(key: String, value: JSONValue)] = []
        if let kind { members.append(("kind", .string(kind.word))) }
        if tries != 0 { members.append(("tries", .integer(Int64(tries)))) }
        if let refused { members.append(("refused", .string(refused.text))) }
        if let stated { members.append(("stated", .string(stated.text))) }
        for (key, isSet) in [
            ("isUncertain", isUncertain), ("needsNewest", needsNewest), ("isGone", isGone),
            ("isRewritten", isRewritten), ("needsCondition", needsCondition),
            ("isMadeAgain", isMadeAgain),
        ] where isSet {
            members.append((key, .bool(true)))
        }
        return .object(members)
    }

    /// Reads `text`. A text that is no JSON gives the facts of an item that was never compared.
    init(text: String) {
        self.init()
        guard let value = try? JSONValue.parse(text) else { return }
        kind = Conflict.Kind.all.first { $0.word == value["kind"]?.string }
        tries = max(0, Int(clamping: value["tries"]?.integer ?? 0))
        refused = value["refused"]?.string.map { ObjectVersion($0) }
        isUncertain = value["isUncertain"]?.bool ?? false
        needsNewest = value["needsNewest"]?.bool ?? false
        isGone = value["isGone"]?.bool ?? false
        isRewritten = value["isRewritten"]?.bool ?? false
        stated = value["stated"]?.string.map { ObjectVersion($0) }
        needsCondition = value["needsCondition"]?.bool ?? false
        isMadeAgain = value["isMadeAgain"]?.bool ?? false
    }
}

extension Conflict.Kind {
    fileprivate static let all: [Conflict.Kind] = [.attributes, .theyDeleted, .iDelete]

    /// The name of the kind in the file and in an export.
    var word: String {
        switch self {
        case .attributes: "attributes"
        case .theyDeleted: "theyDeleted"
        case .iDelete: "iDelete"
        }
    }
}
