// A program that reads the steps of a scenario from its standard input, one JSON object in a line,
// performs them with the module `Restway`, and writes what came of each, in the same form.

import Glibc
import Restway

let driver = Driver()
do {
    while let line = readLine() {
        print(try await driver.perform(JSON(parsing: line)))
        fflush(stdout)
    }
} catch {
    fputs("scenario driver: \(error)\n", stderr)
    exit(1)
}
