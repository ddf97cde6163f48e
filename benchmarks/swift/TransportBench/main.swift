import Glibc
import RestwayCalls
import RestwayClient
import RestwayDocument
import RestwayOutcome
import RestwayPlugins
import RestwayRouting
import RestwayThreads

// Measures whole calls of one client whose transport answers at once: the transport of a plugin and
// the same one inside the library, in turn. Prints the CPU time of a call with each, as one line of
// JSON.
//
//     restway-transport-bench PLUGIN CALLS

func complain(_ text: String) {
    let bytes = Array("\(text)\n".utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
}

let arguments = CommandLine.arguments
guard arguments.count == 3, let calls = Int(arguments[2]), calls > 0 else {
    complain("usage: restway-transport-bench PLUGIN CALLS")
    exit(2)
}

let document = """
    {"restway": 1, "environments": {"here": {"baseURL": "http://127.0.0.1:9/v1"}},
     "entities": {"Thing": {"identity": "id",
                            "attributes": {"id": {"type": "int"}, "name": "name"}}},
     "routes": {"thing": {"path": "things/:id", "response": {"entity": "Thing"}}}}
    """

/// CPU time of the whole process, in microseconds.
func processMicroseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
}

func perform(_ client: Client, _ count: Int) throws -> Double {
    let request = RequestSpec(target: .path(.get, "things/1"))
    let start = processMicroseconds()
    for _ in 0..<count {
        let response = try client.perform(request, milliseconds: 0)
        precondition(response.status == 200)
    }
    return (processMicroseconds() - start) / Double(count)
}

do {
    try PluginLoading.load(arguments[1], options: nil)
    let bytes = Array(document.utf8)
    let api = try bytes.withUnsafeBytes { try API(document: $0) }
    var options = ClientOptions()
    let builtIn = try Client(api: api, options: options, transport: AtOnceTransport())
    options.transport = "at-once"
    let plugin = try Client(api: api, options: options)
    // Both run once beforehand, so that costs of the first run are not measured.
    _ = try perform(builtIn, calls / 10 + 1)
    _ = try perform(plugin, calls / 10 + 1)
    // The calls are measured in slices, so that other work of the machine affects both equally.
    let slices = 10
    var sums = (builtIn: 0.0, plugin: 0.0)
    for _ in 0..<slices {
        sums.builtIn += try perform(builtIn, calls / slices + 1)
        sums.plugin += try perform(plugin, calls / slices + 1)
    }
    print(
        "{\"built_in_microseconds\": \(sums.builtIn / Double(slices)),"
            + " \"plugin_microseconds\": \(sums.plugin / Double(slices))}")
} catch {
    complain("\(error)")
    exit(1)
}
