import RestwayRouting

/// Joins routes to their parents, which may stand before or behind them.
///
/// The time is proportional to the number of routes, because each is joined once.
struct RouteFamily {
    package struct Member {
        package let route: Route
        /// The name of the parent; `nil` if the route has none.
        package let parent: String?
    }

    package enum Outcome {
        case joined(Route)
        /// The template cannot follow its parent's template.
        case unjoinable(RoutingError)
        /// The route is its own ancestor.
        case circle
        /// The parent does not exist, or has a problem of its own.
        case orphan
    }

    private var members: [String: Member] = [:]
    private var outcomes: [String: Outcome] = [:]
    private let others: RouteTable

    /// - Parameter others: More routes that may be parents.
    init(_ members: [Member], of others: RouteTable) {
        self.others = others
        for member in members { self.members[member.route.name ?? ""] = member }
    }

    /// Joins the member called `name` to its parent.
    mutating func join(_ name: String) -> Outcome {
        // The member and its ancestors that are not joined yet.
        var line: [String] = []
        var seen: Set<String> = []
        var next: String? = name
        while let current = next, outcomes[current] == nil, let member = members[current] {
            guard seen.insert(current).inserted else {
                let start = line.firstIndex(of: current) ?? line.startIndex
                for name in line[start...] { outcomes[name] = .circle }
                break
            }
            line.append(current)
            next = member.parent
        }
        for name in line.reversed() where outcomes[name] == nil {
            outcomes[name] = outcome(name)
        }
        return outcomes[name] ?? .orphan
    }

    /// - Precondition: If the parent is a member, it has an outcome.
    private func outcome(_ name: String) -> Outcome {
        guard let member = members[name] else { return .orphan }
        guard let parentName = member.parent else { return .joined(member.route) }
        guard let parent = parent(parentName) else { return .orphan }
        do {
            return .joined(
                try member.route.joined(
                    to: parent, name: member.route.name, isAbsolute: member.route.isAbsolute))
        } catch {
            return .unjoinable(error)
        }
    }

    private func parent(_ name: String) -> Route? {
        guard members[name] != nil else { return try? others.route(named: name) }
        guard case .joined(let route)? = outcomes[name] else { return nil }
        return route
    }
}
