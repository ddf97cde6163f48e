#if DEBUG
    import Glibc
#endif

/// Rules of pending edits that `make sync-check` switches off, one at a time, to show that the
/// check finds a library without the rule. A release library always follows them.
enum SyncRules {
    #if DEBUG
        private static let off: Set<Substring> = {
            guard let text = getenv("RESTWAY_SYNC_RULES_OFF") else { return [] }
            return Set(String(cString: text).split(separator: ","))
        }()

        /// Whether values of the server go under pending edits.
        static let overlay = !off.contains("overlay")
        /// Whether an edit that is taken back shows the server's newest value.
        static let dropToServer = !off.contains("drop_to_server")
    #else
        @inline(__always) static var overlay: Bool { true }
        @inline(__always) static var dropToServer: Bool { true }
    #endif
}
