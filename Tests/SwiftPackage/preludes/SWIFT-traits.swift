import Foundation
import Restway

let client: Client = try! Client(API(file: "tracker.json"))
let draft: Draft = try! client.draft("Issue")
