public import CRestway
import RestwayCache
import RestwayClient
import RestwayDocument
import RestwayHTTP
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayThreads

/// A list of entries of a cache, with the texts that C callers borrow from it.
final class CacheEntriesHandle: ArgumentObject, Sendable {
    static let parameter = "entries"
    let entries: [CacheEntry]
    let texts = LentTexts()
    let generation = ProcessGeneration.current

    init(_ entries: [CacheEntry]) {
        self.entries = entries
    }

    func read(_ index: Int) throws(Failure) -> restway_cache_entry {
        guard let entry = entries.at(index) else {
            throw Argument.wrong(
                "index", "the list has \(entries.count) entries, and none at \(index)")
        }
        return restway_cache_entry(
            struct_size: MemoryLayout<restway_cache_entry>.size,
            key: texts.pointer("key \(index)") { entry.key },
            method: texts.pointer("method \(index)") { entry.method },
            url: texts.pointer("url \(index)") { entry.url },
            route: texts.pointer("route \(index)") { entry.route },
            discriminator: texts.pointer("discriminator \(index)") { entry.discriminator },
            age_seconds: entry.ageSeconds, lifetime_seconds: entry.lifetimeSeconds,
            bytes: entry.bytes, status: Int32(clamping: entry.status),
            is_stale: entry.isStale ? 1 : 0)
    }
}

// cache.h

@_cdecl("restway_request_set_cache") @implementation
public func restway_request_set_cache(
    _ request: InHandle, _ mode: restway_cache_mode, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.changing(request, outError) { spec throws(Failure) in
        guard let mode = CacheMode(rawValue: mode.rawValue) else {
            throw Argument.wrong(
                "mode", "mode is \(mode.rawValue), which is no restway_cache_mode")
        }
        spec.reception.caching.mode = mode
    }
}

@_cdecl("restway_request_set_cache_ttl") @implementation
public func restway_request_set_cache_ttl(
    _ request: InHandle, _ seconds: Int64, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.changing(request, outError) { spec throws(Failure) in
        try Argument.inRange(seconds, -1...CacheRules.secondsMax, "seconds")
        spec.reception.caching.lifetimeSeconds = seconds
    }
}

@_cdecl("restway_client_set_cache_discriminator") @implementation
public func restway_client_set_cache_discriminator(
    _ client: InHandle, _ discriminator: CString?, _ outError: OutHandle?
) -> restway_status {
    ClientHandle.using(client, outError) { client throws(Failure) in
        try client.setCacheDiscriminator(
            discriminator == nil
                ? nil : try Argument.nonEmptyString(discriminator, "discriminator"))
    }
}

@_cdecl("restway_response_cache") @implementation
public func restway_response_cache(
    _ response: InHandle, _ note: Out<restway_cache_note>?, _ outError: OutHandle?
) -> restway_status {
    ResponseHandle.using(response, outError) { handle throws(Failure) in
        try SizedStructs.cacheNote.write(handle.response.cache.c, to: note)
    }
}

@_cdecl("restway_cache_find") @implementation
public func restway_cache_find(
    _ client: InHandle, _ request: InHandle, _ note: Out<restway_cache_note>?,
    _ outError: OutHandle?
) -> restway_status {
    ClientHandle.using(client, outError) { client throws(Failure) in
        let spec = try RequestHandle.argument(request).copy()
        _ = try Argument.out(note, "note")
        let found = try client.findCached(spec)
        try SizedStructs.cacheNote.write(found.c, to: note)
    }
}

@_cdecl("restway_cache_statistics") @implementation
public func restway_cache_statistics(
    _ client: InHandle, _ counts: Out<restway_cache_counts>?, _ outError: OutHandle?
) -> restway_status {
    ClientHandle.using(client, outError) { client throws(Failure) in
        _ = try Argument.out(counts, "counts")
        try SizedStructs.cacheCounts.write(try client.cacheStatistics().c, to: counts)
    }
}

@_cdecl("restway_cache_list") @implementation
public func restway_cache_list(
    _ client: InHandle, _ filter: In<restway_cache_filter>?, _ limit: Int,
    _ outEntries: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    ClientHandle.creating(client, outEntries, outError, "out_entries") { client throws(Failure) in
        let filter = try CacheFilter(filter)
        // A limit that `Int` does not hold is negative here, and is no limit, either.
        return CacheEntriesHandle(try client.cacheEntries(filter, limit: max(0, limit)))
    }
}

@_cdecl("restway_cache_entries_count") @implementation
public func restway_cache_entries_count(_ entries: InHandle) -> Int {
    CacheEntriesHandle.object(entries)?.entries.count ?? 0
}

@_cdecl("restway_cache_entries_read") @implementation
public func restway_cache_entries_read(
    _ entries: InHandle, _ index: Int, _ entry: Out<restway_cache_entry>?, _ outError: OutHandle?
) -> restway_status {
    CacheEntriesHandle.using(entries, outError) { entries throws(Failure) in
        try SizedStructs.cacheEntry.write(try entries.read(index), to: entry)
    }
}

@_cdecl("restway_cache_remove") @implementation
public func restway_cache_remove(
    _ client: InHandle, _ filter: In<restway_cache_filter>?, _ outCount: Out<Int>?,
    _ outError: OutHandle?
) -> restway_status {
    ClientHandle.writing(client, outCount, 0, outError) { client throws(Failure) in
        try client.removeCached(try CacheFilter(filter))
    }
}

@_cdecl("restway_cache_problem") @implementation
public func restway_cache_problem(
    _ client: InHandle, _ buffer: Out<CChar>?, _ capacity: Int, _ outLength: Out<Int>?,
    _ outError: OutHandle?
) -> restway_status {
    Boundary.filling(buffer, capacity, outLength, outError) { () throws(Failure) in
        try ClientHandle.argument(client).cacheProblem()
    }
}

extension CacheFilter {
    /// - Parameter pointer: `nil` for all entries.
    fileprivate init(_ pointer: In<restway_cache_filter>?) throws(Failure) {
        self.init()
        let fields = try CacheFilterFields(pointer)
        key = fields.key
        url = fields.url
        route = fields.route
        discriminator = fields.discriminator
        ageSecondsMin = fields.ageSecondsMin
    }
}

extension ClientOptions.Caching {
    /// Takes the options that are for the cache.
    init(_ fields: ClientOptionsFields) throws(Failure) {
        self.init()
        path = fields.cachePath
        bytesMax = fields.numbers.stated(.cacheBytesMax)
        memoryBytesMax = fields.numbers.stated(.cacheMemoryBytesMax)
        isOn = fields.cacheFlags & RESTWAY_CACHE_ON != 0
        usesHeuristics = fields.cacheFlags & RESTWAY_CACHE_HEURISTICS != 0
        isOff = fields.cacheFlags & RESTWAY_CACHE_OFF != 0
        guard !contradictsItself else {
            throw Argument.wrong(
                "options.cache_flags",
                "options.cache_flags: RESTWAY_CACHE_OFF stands beside other options of the cache")
        }
    }
}

extension CacheNote {
    fileprivate var c: restway_cache_note {
        restway_cache_note(
            struct_size: MemoryLayout<restway_cache_note>.size, state: state.rawValue,
            is_stale: isStale ? 1 : 0, age_seconds: ageSeconds, lifetime_seconds: lifetimeSeconds)
    }
}

extension CacheStatistics {
    fileprivate var c: restway_cache_counts {
        restway_cache_counts(
            struct_size: MemoryLayout<restway_cache_counts>.size, hits: counts.hits,
            stale_hits: counts.staleHits, validations: counts.validations, misses: counts.misses,
            shared: counts.shared, stored: counts.stored, evicted: counts.evicted,
            invalidated: counts.invalidated, failures: counts.failures, entries: holdings.entries,
            bytes: holdings.bytes, memory_entries: holdings.memoryEntries,
            memory_bytes: holdings.memoryBytes)
    }
}
