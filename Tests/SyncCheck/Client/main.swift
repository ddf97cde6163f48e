import Glibc
import RestwayJSON

// A client of `make sync-check`: it reads commands, one JSON object a line, and answers each with a
// line.

setvbuf(stdout, nil, Int32(_IOLBF), 0)
let device = Device()
while let line = readLine() {
    let reply: [(key: String, value: JSONValue)]
    do {
        reply = try device.perform(try JSONValue.parse(line))
    } catch {
        reply = [("error", .string("\(error)"))]
    }
    print(String(decoding: JSONValue.object(reply).text(), as: UTF8.self))
}
