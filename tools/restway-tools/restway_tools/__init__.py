"""Programs that work on API documents: `restway-openapi` makes them of descriptions of OpenAPI, and
`restway-stubs` writes their types. They use only public names of the package `restway`.
"""
