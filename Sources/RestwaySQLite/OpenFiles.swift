import Glibc
import RestwayThreads

/// The files that this process, and the processes that it was forked from, have open in SQLite.
///
/// SQLite keeps one record of locks for each file of a process, by device and inode. A forked child
/// inherits the records of its parent but not the locks, which the kernel leaves to the parent. If
/// the child opened the same file, its connection would act as if it held the locks, or wait
/// forever for a lock that is never released, and the parent could remove the log that the child
/// writes to. So the child does not open these files.
enum OpenFiles {
    struct File: Hashable {
        let device: UInt64
        let inode: UInt64

        /// Returns `nil` if no file exists at `path`.
        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
        }
    }

    private struct State {
        var generation = ProcessGeneration.current
        /// The number of connections of this process to each open file.
        var connections: [File: Int] = [:]
        var inherited: Set<File> = []
    }

    private static let state = ForkBarrier.guarded(Lock(State()))

    /// Passes the state as it is in this process, which may be a child that was forked since.
    private static func withState<Result>(_ body: (inout State) -> Result) -> Result {
        state.withLock { state in
            if state.generation != ProcessGeneration.current {
                state.generation = ProcessGeneration.current
                state.inherited.formUnion(state.connections.keys)
                state.connections = [:]
            }
            return body(&state)
        }
    }

    /// Returns whether a process from which this process was forked had the file open at the fork.
    static func isInherited(_ path: String) -> Bool {
        guard let file = File(path) else { return false }
        return withState { $0.inherited.contains(file) }
    }

    static func add(_ file: File) {
        withState { $0.connections[file, default: 0] += 1 }
    }

    static func remove(_ file: File) {
        withState { state in
            guard let count = state.connections[file] else { return }
            state.connections[file] = count > 1 ? count - 1 : nil
        }
    }
}
