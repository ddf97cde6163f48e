// An inspector fills in forms where there is no network, and sends them from the office.
//
//     inspection field     at the site; the requests wait in a file
//     inspection office    after a restart; the requests are sent
//
// It runs in the folder of the source code, beside the demo API. Its files are in the current
// folder or in the folder INSPECTIONS. RESTWAY_DEMO_URL is the address of the server, if it is
// another one.
#include <cstdlib>
#include <future>
#include <iostream>
#include <restway.hpp>
#include <utility>

namespace {

using text = std::optional<std::string>;
using changed_values = std::vector<std::pair<std::string, std::string>>;

// Opens a client with files of its own. A second client stands for a second device.
restway::client open_client(const std::string &name) {
    const char *given = std::getenv("INSPECTIONS");
    const std::string folder = given ? given : ".";
    const std::string store = folder + "/" + name + ".db";
    const std::string outbox = folder + "/" + name + "-outbox.db";
    restway::client_options options;
    options.base_url = std::getenv("RESTWAY_DEMO_URL"); // null: as the document says
    options.store_path = store.c_str();
    options.outbox_path = outbox.c_str();
    auto api = restway::api::load_file("examples/inspection.restway.json");
    return restway::client::create(api, options);
}

// Sends a request. Returns the number of the stored request if it waits, and 0 otherwise.
template <typename Send> std::int64_t send_or_store(Send send) {
    try {
        send();
    } catch (const restway::error &failure) {
        if (failure.status() != RESTWAY_E_QUEUED) {
            throw;
        }
        return failure.outbox_id();
    }
    return 0;
}

std::int64_t edit(const restway::client &client, int number, const changed_values &values) {
    auto store = client.store();
    auto draft = store.draft(store.find("Inspection", number));
    for (const auto &[name, value] : values) {
        draft.set(name, value);
    }
    return send_or_store([&] { client.patch(draft); });
}

// If its request waits, the store has the new form all the same.
void create(const restway::client &client, const std::string &place, const std::string &result) {
    auto draft = client.store().draft("Inspection");
    draft.set("place", place).set("result", result);
    send_or_store([&] { client.post(draft); });
}

// As long as the request waits, the store hides the form.
void remove(const restway::client &client, int number) {
    auto form = client.store().find("Inspection", number);
    send_or_store([&] { client.remove(form); });
}

// Prints all forms as the user sees them, and how many requests wait.
void show_forms(const restway::client &client) {
    auto store = client.store();
    for (auto form : store.all("Inspection")) {
        std::cout << form.get<std::string>("place") << ": " << form.get<std::string>("result")
                  << (store.pending(form).empty() ? "" : " (waits)") << '\n';
    }
    std::cout << client.outbox().items().size() << " requests wait\n";
}

// Prints each value that waits, and the value that it replaces.
void show_what_waits(const restway::client &client) {
    auto store = client.store();
    auto query = store.query("Inspection");
    query.pending().pending_deletes(true);
    for (auto form : store.query(query)) {
        auto place = form.get<std::string>("place");
        auto pending = store.pending(form);
        if (pending.deletes()) {
            std::cout << place << ": deleted\n";
        }
        for (auto name : pending.names()) {
            std::cout << place << ": " << name << " is "
                      << pending.mine().get<text>(name).value_or("empty") << ", was "
                      << pending.base().get<text>(name).value_or("empty") << '\n';
        }
    }
}

// Prints a form as the user sees it, beside the newest value of the server.
void compare(const restway::client &client, int number) {
    auto form = client.store().find("Inspection", number);
    auto theirs = client.store().confirmed(form);
    std::cout << form.get<std::string>("place") << ": " << form.get<std::string>("remark")
              << " The server has: " << theirs.get<text>("remark").value_or("-") << '\n';
}

// Sends what waits, and prints the result of each request.
void flush(const restway::client &client) {
    std::promise<void> end;
    client.outbox().flush([&](const restway::result<restway::outbox_items> &items) {
        for (std::size_t index = 0; items && index < items->size(); index++) {
            auto item = (*items)[index];
            std::cout << item.method() << ' ' << item.path() << ' '
                      << (item.state() == RESTWAY_OUTBOX_DELIVERED ? "delivered" : "refused")
                      << '\n';
        }
        end.set_value();
    });
    end.get_future().wait();
}

// Prints the forms with a change that the server has refused, and the reasons.
void show_refused(const restway::client &client) {
    auto store = client.store();
    auto query = store.query("Inspection");
    query.rejected();
    for (auto form : store.query(query)) {
        std::cout << form.get<std::string>("place") << ": " << form.get<std::string>("result")
                  << " (refused)\n";
    }
    for (auto item : client.outbox().items()) {
        if (auto failure = item.failure()) {
            std::cout << failure->api_message().value_or(failure->what()) << '\n';
        }
    }
}

// Puts a corrected change in the place of the refused one.
void correct(const restway::client &client) {
    for (auto item : client.outbox().items()) {
        if (item.state() == RESTWAY_OUTBOX_DEAD) {
            client.outbox().drop(item.id());
        }
    }
    edit(client, 2, {{"result", "failed"}, {"remark", "The door sticks."}});
}

void work_in_the_field(const restway::client &client) {
    client.set_cache_discriminator("inspector"); // the user in whose name requests are stored
    client.get("inspections");                   // while there still is a network
    client.outbox().set_reachability(RESTWAY_REACHABILITY_UNREACHABLE);
    edit(client, 1, {{"result", "passed"}, {"remark", "Both doors close."}});
    edit(client, 2, {{"result", "failed"}});
    remove(client, 3);
    create(client, "Roof ladder", "passed");
    if (auto mistake = edit(client, 4, {{"result", "failed"}})) {
        client.outbox().drop(mistake); // undoes the edit
    }
    show_forms(client);
}

void work_in_the_office(const restway::client &client, const restway::client &colleague) {
    show_what_waits(client); // Nothing is sent before the user has signed in.

    colleague.get("inspections");
    edit(colleague, 1, {{"place", "Fire doors, east"}, {"remark", "Ask for the key."}});
    client.get("inspections");
    compare(client, 1);

    client.set_cache_discriminator("inspector");
    flush(client);
    show_refused(client);
    correct(client);
    show_forms(client);
}

} // namespace

int main(int count, char **arguments) try {
    auto client = open_client("inspector");
    if (count == 2 && std::string(arguments[1]) == "office") {
        work_in_the_office(client, open_client("colleague"));
    } else {
        work_in_the_field(client);
    }
    return 0;
} catch (const restway::error &failure) {
    std::cerr << failure.what() << '\n';
    return 1;
}
