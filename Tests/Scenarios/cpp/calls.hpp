/** @file calls.hpp
 *  The requests of scenarios, and what came of them.
 */
#ifndef RESTWAY_SCENARIO_CALLS_HPP
#define RESTWAY_SCENARIO_CALLS_HPP

#include "json.hpp"

/** Makes the request that a step describes. */
restway::request request_of(const restway::store &store, const json &step);

/** Returns what a failure and its response say. */
json outcome_of(const restway::store &store, const restway::error &failure);

/** Returns what a response says. */
json outcome_of_response(const restway::store &store, const restway::response &response);

/** Calls a function that returns a response; returns what the response or the failure says. */
template <typename Function> json outcome_of(const restway::store &store, const Function &respond) {
    try {
        return outcome_of_response(store, respond());
    } catch (const restway::error &failure) {
        return outcome_of(store, failure);
    }
}

#endif
