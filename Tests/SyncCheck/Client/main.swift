import Glibc
import RestwayJSON
import RestwayOutcome

// A client of `make sync-check`: it reads commands, one JSON object a line, and answers each with a
// line.

/// Writes a line to the standard output at once.
func tell(_ reply: Device.Reply) {
    var left = JSONValue.object(reply).text()[...]
    left.append(UInt8(ascii: "\n"))
    while !left.isEmpty {
        let count = left.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        guard count > 0 else { exit(1) }
        left = left.dropFirst(count)
    }
}

let device = Device()
while let line = readLine() {
    do {
        tell(try device.perform(try JSONValue.parse(line)))
    } catch let failure as Failure {
        tell([("error", .string("\(failure.reason): \(failure.message)"))])
    } catch {
        tell([("error", .string("\(error)"))])
    }
}
