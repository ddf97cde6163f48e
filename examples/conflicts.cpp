// An inspector without a network, and the office, change the same forms.
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
    auto api = restway::api::load_file("examples/conflicts.restway.json");
    return restway::client::create(api, options);
}

// Sends a request, which may wait in a file.
template <typename Send> void send_or_store(Send send) {
    try {
        send();
    } catch (const restway::error &failure) {
        if (failure.status() != RESTWAY_E_QUEUED) {
            throw;
        }
    }
}

void edit(const restway::client &client, int number, const changed_values &values) {
    auto store = client.store();
    auto draft = store.draft(store.find("Inspection", number));
    for (const auto &[name, value] : values) {
        draft.set(name, value);
    }
    send_or_store([&] { client.patch(draft); });
}

void remove(const restway::client &client, int number) {
    auto form = client.store().find("Inspection", number);
    send_or_store([&] { client.remove(form); });
}

// Prints both sides of each conflict.
void show_conflicts(const restway::client &client) {
    for (auto conflict : client.outbox().conflicts()) {
        auto place = conflict.mine().get<std::string>("place");
        if (conflict.kind() == RESTWAY_CONFLICT_THEY_DELETED) {
            std::cout << place << ": you have changed it, and somebody else has deleted it\n";
        }
        for (auto name : conflict.names()) {
            auto base = conflict.base().get<text>(name).value_or("empty");
            std::cout << place << ": " << name << " was " << base << '\n'
                      << "  yours:  " << conflict.mine().get<std::string>(name) << '\n'
                      << "  theirs: " << conflict.theirs().get<std::string>(name) << '\n';
        }
    }
}

// Resolves each conflict, as the user might do it.
void decide(const restway::client &client) {
    for (auto conflict : client.outbox().conflicts()) {
        if (auto theirs = conflict.theirs()) {
            auto both = theirs.get<std::string>("remark") + " " +
                        conflict.mine().get<std::string>("remark");
            conflict.choose(RESTWAY_CONFLICT_MINE).set("remark", both);
        } else {
            conflict.choose(RESTWAY_CONFLICT_THEIRS); // the form stays deleted
        }
        client.outbox().resolve(conflict);
    }
}

// Lets a form stay failed if it is failed on one side.
void failed_or_mine(restway::conflict &conflict) {
    auto mine = conflict.mine().get<std::string>("result");
    auto theirs = conflict.theirs().get<std::string>("result");
    conflict.set("result", theirs == "failed" ? theirs : mine);
}

// Sends values of a form to a server that can be reached, or says why it is impossible.
void save(const restway::client &client, int number, const changed_values &values) {
    try {
        edit(client, number, values);
    } catch (const restway::error &failure) {
        auto conflict = failure.conflict();
        if (!conflict) {
            throw;
        }
        for (auto name : conflict.names()) {
            std::cout << "Not saved: " << name << " is " << conflict.theirs().get<std::string>(name)
                      << " by now\n";
        }
    }
}

// Sends what waits, and prints how many changes are parked.
void send(const restway::client &client) {
    std::promise<void> end;
    client.outbox().flush([&](const restway::result<restway::outbox_items> &) { end.set_value(); });
    end.get_future().wait();
    std::cout << client.outbox().counts().parked << " conflicts\n";
}

// Prints all forms as the user sees them.
void show_forms(const restway::client &client) {
    for (auto form : client.store().all("Inspection")) {
        std::cout << form.get<std::string>("place") << ": " << form.get<std::string>("result")
                  << ", " << form.get<text>("remark").value_or("no remark") << '\n';
    }
}

} // namespace

int main() try {
    auto client = open_client("inspector");
    auto office = open_client("office");
    client.set_resolver("Inspection", failed_or_mine);
    client.get("inspections");
    office.get("inspections");

    client.outbox().set_reachability(RESTWAY_REACHABILITY_UNREACHABLE);
    edit(
        client, 1,
        {{"place", "Fire doors, west"}, {"result", "passed"}, {"remark", "Both doors close."}});
    edit(client, 2, {{"result", "failed"}, {"remark", "The door sticks."}});
    remove(client, 3);
    edit(client, 4, {{"remark", "Needs paint."}});

    edit(office, 1, {{"place", "Fire doors, east"}, {"remark", "Ask for the key."}});
    edit(office, 2, {{"result", "passed"}});
    edit(office, 3, {{"remark", "Keep this form."}});
    remove(office, 4);
    // An answer about one form has its version.
    office.get(office.store().find("Inspection", 1));

    client.outbox().set_reachability(RESTWAY_REACHABILITY_UNKNOWN);
    send(client);
    show_conflicts(client);
    decide(client);
    send(client);
    show_forms(client);

    save(office, 1, {{"remark", "The key is under the mat."}});
    return 0;
} catch (const restway::error &failure) {
    std::cerr << failure.what() << '\n';
    return 1;
}
