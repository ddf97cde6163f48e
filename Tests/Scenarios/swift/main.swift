// A program that reads the steps of a scenario from its standard input, one JSON object in a line,
// performs them with the module `Restway`, and writes what came of each, in the same form.

import Foundation
import Restway

let driver = Driver()
do {
    while let line = readLine() {
        let outcome = try await driver.perform(JSON(parsing: line))
        FileHandle.standardOutput.write(Data("\(outcome)\n".utf8))
    }
    try driver.end()
} catch {
    FileHandle.standardError.write(Data("scenario driver: \(error)\n".utf8))
    exit(1)
}
