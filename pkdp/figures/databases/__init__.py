"""The figures about the choice of databases, after Hartmann, Bindschaedler and West (2022)."""
