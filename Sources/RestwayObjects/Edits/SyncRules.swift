#if DEBUG
    import Glibc
#endif

/// Rules of pending edits that `make sync-check` switches off, one at a time, to show that the
/// check finds a library without the rule. A release library always follows them.
package enum SyncRules {
    #if DEBUG
        private static let off: Set<Substring> = {
            guard let text = getenv("RESTWAY_SYNC_RULES_OFF") else { return [] }
            return Set(String(cString: text).split(separator: ","))
        }()

        /// Whether values of the server go under pending edits.
        static let overlay = !off.contains("overlay")
        /// Whether an edit that is taken back shows the server's newest value.
        static let dropToServer = !off.contains("drop_to_server")
        /// Whether a value that the server has changed is merged with the value of an edit.
        static let merge = !off.contains("merge")
        /// Whether a value that the server already has is not in conflict.
        static let equalIsDone = !off.contains("equal_is_done")
        /// Whether a request that is written again after a conflict gets a new key.
        package static let newKey = !off.contains("new_key")
        /// Whether a version that the server has refused is not sent again.
        package static let newTag = !off.contains("newtag")
        /// Whether a request is compared with the newest values of the server before it is sent.
        package static let rebase = !off.contains("rebase")
        /// Whether a later edit of an attribute in conflict becomes a part of the conflict.
        package static let editJoinsConflict = !off.contains("edit_joins_conflict")
    #else
        @inline(__always) static var overlay: Bool { true }
        @inline(__always) static var dropToServer: Bool { true }
        @inline(__always) static var merge: Bool { true }
        @inline(__always) static var equalIsDone: Bool { true }
        @inline(__always) package static var newKey: Bool { true }
        @inline(__always) package static var newTag: Bool { true }
        @inline(__always) package static var rebase: Bool { true }
        @inline(__always) package static var editJoinsConflict: Bool { true }
    #endif
}
