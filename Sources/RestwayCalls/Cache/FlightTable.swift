package import RestwayHTTP
package import RestwayRequests

/// The values that must be equal in all requests that share one exchange.
package struct FlightKey: Hashable, Sendable {
    /// The name of the entries that can answer the request.
    let name: String
    let method: String
    let mode: CacheMode
    let headers: Headers
    /// The number of the last removal of entries before the request. A request shares no exchange
    /// that was sent before that removal.
    let removal: Int64
    /// Whether the body of the answer goes to a file.
    var isSaved = false

    package init(
        name: String, method: String = "GET", mode: CacheMode = .standard,
        headers: Headers = Headers(), removal: Int64 = 0
    ) {
        self.name = name
        self.method = method
        self.mode = mode
        self.headers = headers
        self.removal = removal
    }

    /// Hashes only the name, because few requests with the same name are in flight at once.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(name)
    }
}

/// Decides which calls share an exchange. The calls whose requests have equal keys are in one
/// flight: one call leads the flight and sends its request, and the others wait for the answer.
///
/// The table does no I/O, takes no lock and knows calls only by their numbers.
struct FlightTable<Key: Hashable> {
    private struct Flight {
        var leader: UInt64
        /// The calls that wait, in the order in which they came.
        var waiting: [UInt64] = []
    }

    private var flights: [Key: Flight] = [:]

    /// Whether there is no flight.
    var isEmpty: Bool { flights.isEmpty }

    /// Adds a call to the flight of its key. Returns true if the call leads the flight, and false
    /// if it waits.
    mutating func arrive(_ call: UInt64, at key: Key) -> Bool {
        if lead(call, at: key) { return true }
        flights[key]?.waiting.append(call)
        return false
    }

    /// Begins a flight that `call` leads. If the key has a flight already, this changes nothing and
    /// returns false.
    mutating func lead(_ call: UInt64, at key: Key) -> Bool {
        guard flights[key] == nil else { return false }
        flights[key] = Flight(leader: call)
        return true
    }

    /// Removes a call from its flight, for example because it was cancelled. If the call has led
    /// the flight and others wait, this returns the call that leads the flight from now on.
    mutating func leave(_ call: UInt64, at key: Key) -> UInt64? {
        guard var flight = flights[key] else { return nil }
        guard flight.leader == call else {
            flights[key]?.waiting.removeAll { $0 == call }
            return nil
        }
        guard !flight.waiting.isEmpty else {
            flights[key] = nil
            return nil
        }
        flight.leader = flight.waiting.removeFirst()
        flights[key] = flight
        return flight.leader
    }

    /// Ends the flight that `call` leads. Returns the calls that wait for its answer; an empty list
    /// if `call` does not lead the flight any more.
    mutating func end(_ call: UInt64, at key: Key) -> [UInt64] {
        guard let flight = flights[key], flight.leader == call else { return [] }
        flights[key] = nil
        return flight.waiting
    }
}
