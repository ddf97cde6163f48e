/// The English names of months and weekdays.
enum DateNames {
    static let months: [StaticString] = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December",
    ]
    static let weekdays: [StaticString] = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]
    private static let shortMonths: [StaticString] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let shortWeekdays: [StaticString] = [
        "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat",
    ]

    /// Reads the name of a month and returns its number, from 1.
    static func month(_ scanner: inout DateScanner, _ isFull: Bool) -> Int? {
        find(isFull ? months : shortMonths, &scanner).map { $0 + 1 }
    }

    /// Reads the name of a weekday and returns its number, from 0 for Sunday.
    static func weekday(_ scanner: inout DateScanner, _ isFull: Bool) -> Int? {
        find(isFull ? weekdays : shortWeekdays, &scanner)
    }

    private static func find(_ names: [StaticString], _ scanner: inout DateScanner) -> Int? {
        for index in names.indices where scanner.accept(word: names[index]) { return index }
        return nil
    }
}
