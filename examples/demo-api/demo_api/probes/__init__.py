"""Routes without a domain, for clients under test: echo, redirects, cookies, bad answers."""
