import Dispatch
import Foundation
import Glibc

/// A server in Python as a process of its own, which reads lines and answers with lines.
///
/// The server ends when its input does. This process keeps the other end of the input open, so the
/// server ends with this process at the latest.
final class PeerProcess: Sendable {
    /// Our end of the socket that is the input and the output of the server.
    private let descriptor: Int32

    /// Starts a Python program of the repository; `nil` if it cannot be started.
    init?(_ program: String, _ arguments: String...) {
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { return nil }
        // The server has copies of its end as input and output, and nothing else of this process.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[1]) }
        let library = "PYTHONPATH=\(DemoAPI.path("bindings/python"))"
        let command = ["env", library, "python3", DemoAPI.path(program)] + arguments
        guard Self.start(command, ends[1]) else {
            close(ends[0])
            return nil
        }
        descriptor = ends[0]
    }

    private static func start(_ command: [String], _ end: Int32) -> Bool {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, end, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, end, STDOUT_FILENO)
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        return posix_spawnp(&process, command[0], &actions, nil, &arguments, environ) == 0
    }

    /// Runs a program, and returns whether it has succeeded.
    static func run(_ command: [String]) -> Bool {
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var (process, status): (pid_t, Int32) = (0, 0)
        guard posix_spawnp(&process, command[0], nil, nil, &arguments, environ) == 0,
            waitpid(process, &status, 0) == process
        else { return false }
        return status == 0
    }

    /// Reads the next line that the server prints; `nil` if the server has ended.
    func line() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(descriptor, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }

    /// Sends a line, and waits for the answer on a thread of its own.
    func answer(to command: String) async -> String? {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let bytes = Array("\(command)\n".utf8)
                let count = send(self.descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                continuation.resume(returning: count == bytes.count ? self.line() : nil)
            }
        }
    }
}
