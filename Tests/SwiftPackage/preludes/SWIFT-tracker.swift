import Restway

let client: Client = try! Client(API(file: "tracker.json"))
