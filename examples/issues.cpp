// Lists the issues of the tracker that the demo API has, changes one, and shows what is refused.
#include <cstdlib>
#include <iostream>
#include <restway.hpp>

int main() try {
    restway::client_options options;
    options.base_url = std::getenv("RESTWAY_DEMO_URL"); // null: as the document says
    auto api = restway::api::load_file("examples/tracker.restway.json");
    auto client = restway::client::create(api, options);

    for (auto issue : client.pages(restway::request::route("issues").parameter("per_page", 5))) {
        std::cout << issue.get<int>("number") << ": " << issue.get<std::string>("title") << '\n';
    }

    auto issue = client.get("repos/octo/hello/issues/3").first();
    auto draft = client.store().draft(issue);
    draft.set("title", "The disk is full, and nobody says so");
    std::cout << client.patch(draft).first().get<std::string>("title") << '\n';

    try {
        client.patch(draft.set("title", "").set("state", "gone"));
    } catch (const restway::error &refusal) {
        std::cout << refusal.http_status() << '\n';
        for (const auto &problem : refusal.problems()) {
            std::cout << problem.path << ": " << problem.message << '\n';
        }
    }
    return 0;
} catch (const restway::error &failure) {
    std::cerr << failure.what() << '\n';
    return 1;
}
