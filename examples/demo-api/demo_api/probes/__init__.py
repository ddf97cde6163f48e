"""Routes for clients under test: echo, redirects, cookies, bad answers."""
