"""The types of API documents, as modules of Python, Swift source, and headers of C and C++.

    python -m restway_tools.stubs demo.restway.json --output demo.py

The modules build on the classes of `restway.typed`: a program that uses them needs the package
`restway` alone.
"""
