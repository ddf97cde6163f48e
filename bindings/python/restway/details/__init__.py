"""Values that describe calls, connections and settings. Their modules are loaded at their first
use, because dataclasses take time to make.
"""
